// A small shop with Mongoose: what the gate is red for, and what it is green for.
// MONGODB_URI names the server. SHOP=fixed does it as it should be done.
"use strict";

const mongoose = require("mongoose");

const fixed = process.env.SHOP === "fixed";
const Order = mongoose.model("Order", new mongoose.Schema({ number: String, customer: Number }), "orders");
const Customer = mongoose.model("Customer", new mongoose.Schema({ _id: Number, name: String }), "customers");

async function main() {
  await mongoose.connect(process.env.MONGODB_URI, { dbName: "shop", appName: "shop.js", autoIndex: false });
  await Customer.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i, name: `Customer ${i}` })));
  await Order.insertMany(Array.from({ length: 200 }, (_, i) => ({ number: `A-${i}`, customer: i % 50 })));
  if (fixed) {
    await Order.collection.createIndex({ number: 1 });
  }
  for (let i = 0; i < 30; i++) {
    if (fixed) {
      await Order.findOne({ number: `A-${i}` });
    } else {
      // a condition in JavaScript, which no index serves
      await Order.findOne({ $where: `this.number == "A-${i}"` });
    }
  }
  await mongoose.disconnect();
}

main().catch((err) => {
  console.error(err);
  process.exit(1);
});
