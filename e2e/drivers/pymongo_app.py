"""A small application on PyMongo: the calls that drivers make differently."""
import re
import sys

import pymongo
from bson.regex import Regex

client = pymongo.MongoClient(sys.argv[1], appname="pymongo-app", timeoutMS=30000)
people = client.shop.people_py
people.insert_many([{"_id": i, "name": f"Person {i}"} for i in range(500)])
assert len(list(people.find({}).batch_size(50))) == 500
assert people.find_one({"name": Regex("^person 7$", "i")})["_id"] == 7
people.bulk_write([pymongo.UpdateOne({"_id": 1}, {"$push": {"log": i}}) for i in range(40)])
assert len(people.find_one({"_id": 1})["log"]) == 40
with client.start_session() as session:
    assert people.count_documents({"name": re.compile("^Person 1")}, session=session) == 111
people.with_options(write_concern=pymongo.WriteConcern(w=0)).insert_one({"_id": "w0"})
assert people.estimated_document_count() >= 500
client.close()
print("done")
