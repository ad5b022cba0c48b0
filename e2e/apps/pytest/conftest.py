import os

import pytest
from pymongo import MongoClient


@pytest.fixture(scope="session")
def db():
    with MongoClient(os.environ["MONGODB_URI"], appName="shop-tests") as client:
        yield client.shop


@pytest.fixture(autouse=True)
def marked(db, request):
    db.command("ping", comment=f"mongoadvisor:begin {request.node.nodeid}")
    yield
    db.command("ping", comment=f"mongoadvisor:end {request.node.nodeid}")
