// A small application on the Node.js driver: the calls that drivers make differently.
import { MongoClient } from "mongodb";
import assert from "node:assert";

const client = new MongoClient(process.argv[2], { appName: "node-app" });
const people = client.db("shop").collection("people_node");
await people.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, name: `Person ${i}` })));
assert.equal((await people.find({}).batchSize(50).toArray()).length, 500);
assert.equal((await people.findOne({ name: /^person 7$/i }))._id, 7);
for (let i = 0; i < 12; i++) await people.updateOne({ _id: 1 }, { $push: { log: i } });
assert.equal((await people.findOne({ _id: 1 })).log.length, 12);
await client.close();
console.log("done");
