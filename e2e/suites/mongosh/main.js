// Run by mongosh. Each file adds its tests to the list; then they are run.
const assert = require('node:assert/strict')
// What the shell makes belongs to another realm: only its values can be compared.
const equal = (got, want) => assert.deepEqual(plain(got), plain(want))
const tests = []
const only = process.env.SUITE_ONLY ? process.env.SUITE_ONLY.split('\n') : null
const test = (id, fn) => tests.push([id, fn])
const skip = (why) => { throw Object.assign(new Error(why), { skips: true }) }
// The shell waits for its own calls by itself where it sees them: a function that
// is passed must not return before they are done.
const fails = (fn) => {
  try {
    fn()
  } catch (err) {
    return err
  }
  throw new Error('succeeded')
}
const plain = (x) => JSON.parse(EJSON.stringify(x, { relaxed: true }))
const set = db.hello().setName
const single = !set || process.env.MONGODB_URI.includes('directConnection=true')
const needsSet = () => set || skip('needs a replica set')
const fresh = () => {
  const d = db.getSiblingDB('mongosh_suite')
  d.dropDatabase()
  return d
}

load('helpers.js')
load('reading.js')
load('server.js')
load('set.js')

for (const [id, fn] of tests) {
  if (only && !only.includes(id)) continue
  let outcome = 'pass'
  try {
    fn(fresh())
  } catch (err) {
    outcome = err.skips ? 'skip' : 'fail'
    console.log(`--- ${outcome} ${id}: ${err.stack}`)
  }
  print(`${outcome}\t${id}`)
}
fresh()
