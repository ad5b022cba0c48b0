// Writes numbered documents and follows them in a change stream, while the
// primary steps down and, when this script says "kill", is killed and comes
// back. The folder SIGNALS is how the other side says that this has happened. The
// last line is what was seen.
const fs = require("fs");
const path = require("path");
const survivors = db.getSiblingDB("shop").survivors;
db.getSiblingDB("shop").createCollection("survivors");
const stream = survivors.watch([], { maxAwaitTimeMS: 50 });
const report = { acknowledged: [], failed: [], delivered: [], names: [], stepDowns: 0 };
let n = 0;

function step() {
  n++;
  try {
    if (survivors.insertOne({ n }).acknowledged) report.acknowledged.push(n);
  } catch (e) {
    report.failed.push(`${n}: ${e}`);
  }
  for (let e; (e = stream.tryNext()) !== null; ) report.delivered.push(e.fullDocument.n);
  see(db.hello());
}

function see(hello) {
  for (const name of [...hello.hosts, hello.me, hello.primary]) {
    if (name && !report.names.includes(name)) report.names.push(name);
  }
}

function steps(enough) {
  for (let more = 40; more > 0; more = enough() ? more - 1 : more) step();
}

steps(() => true);
const before = db.hello().primary;
while (report.stepDowns === 0) {
  try {
    rs.stepDown();
    report.stepDowns++;
  } catch (e) { // refused while no other member has caught up
    if (!/electable secondaries/.test(String(e))) throw e;
  }
}
steps(() => db.hello().primary !== before);
print("kill");
steps(() => fs.existsSync(path.join(process.env.SIGNALS, "restarted")));
const last = report.acknowledged[report.acknowledged.length - 1];
for (const end = Date.now() + 60_000; !report.delivered.includes(last) && Date.now() < end; ) {
  const e = stream.tryNext();
  if (e !== null) report.delivered.push(e.fullDocument.n);
}
for (const m of rs.status().members) see({ hosts: [m.name, m.syncSourceHost] });
for (const m of rs.conf().members) see({ hosts: [m.host] });
print(JSON.stringify(report));
