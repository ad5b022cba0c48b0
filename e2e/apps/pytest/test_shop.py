import re

import pytest


def test_visit_is_kept(db):
    # an option that belongs beside $each
    db.customers.update_one({"_id": 1}, {"$push": {"visits": {"page": "/", "$slice": -10}}}, upsert=True)


@pytest.mark.parametrize("city", ["Pune", "alice@example.com"])
def test_customers_of_a_city(db, city):
    db.customers.find_one({"city": re.compile(f"^{re.escape(city)}$", re.IGNORECASE)})


def test_order_is_found(db):
    db.orders.find_one({"$where": "this.number == 'A-1'"})
