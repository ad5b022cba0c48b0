// A small session in mongosh: the calls that people make.
const people = db.getSiblingDB("shop").people_mongosh;
people.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i, name: `Person ${i}` })));
if (people.find().toArray().length !== 300) throw new Error("find");
if (people.findOne({ name: /^person 7$/i })._id !== 7) throw new Error("regex");
people.updateOne({ _id: 1 }, { $push: { log: 1 } });
print("done");
