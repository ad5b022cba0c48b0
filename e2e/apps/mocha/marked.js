"use strict";

const mongoose = require("mongoose");

async function say(what, test) {
  await mongoose.connection.db.command({ ping: 1, comment: `mongoadvisor:${what} ${test.fullTitle()}` });
}

exports.mochaHooks = {
  beforeAll: () => mongoose.connect(process.env.MONGODB_URI, { dbName: "shop", appName: "shop-tests" }),
  beforeEach() {
    return say("begin", this.currentTest);
  },
  afterEach() {
    return say("end", this.currentTest);
  },
  afterAll: () => mongoose.disconnect(),
};
