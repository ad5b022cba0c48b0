"use strict";

const mongoose = require("mongoose");

const Order = mongoose.model("Order", new mongoose.Schema({ number: String }, { autoIndex: false }), "orders");
const Customer = mongoose.model("Customer", new mongoose.Schema({ city: String, visits: [Object] }, { autoIndex: false }), "customers");

describe("orders", () => {
  // a condition in JavaScript, which no index serves
  it("are found by their number", () => Order.findOne({ $where: "this.number == 'A-1'" }));
});

describe("customers", () => {
  it("keep their visits", () => Customer.collection.updateOne({ _id: 1 }, { $push: { visits: { page: "/", $slice: -10 } } }));
  it("of a city are found", () => Customer.findOne({ city: /^pune$/i }));
});
