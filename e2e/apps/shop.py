"""A small shop with PyMongo: what the gate is red for, and what it is green for.

MONGODB_URI names the server. SHOP=fixed does it as it should be done.
"""

import os
import re

from pymongo import MongoClient

fixed = os.environ.get("SHOP") == "fixed"
client = MongoClient(os.environ["MONGODB_URI"], appName="shop.py")
customers = client.shop.customers
customers.insert_many([{"_id": i, "email": f"Customer{i}@example.test", "visits": []} for i in range(300)])

caseless = {"locale": "en", "strength": 2}
if fixed:
    customers.create_index("email", name="email_caseless", collation=caseless)

for i in range(30):
    email = f"CUSTOMER{i}@example.test"
    if fixed:
        found = customers.find_one({"email": email}, collation=caseless)
    else:
        found = customers.find_one({"email": re.compile(f"^{re.escape(email)}$", re.IGNORECASE)})
    assert found and found["_id"] == i

    if fixed:
        client.shop.visits.insert_one({"customer": i, "page": "/"})
        customers.update_one({"_id": i}, {"$push": {"visits": {"$each": ["/"], "$slice": -10}}})
    else:
        # an option that belongs beside $each: it is stored as part of the element
        customers.update_one({"_id": i}, {"$push": {"visits": {"page": "/", "$slice": -10}}})

client.close()
