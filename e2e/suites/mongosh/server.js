// What administrators ask, and operations that are found and killed.
test('serverStatus, buildInfo, hostInfo', (d) => {
  const s = d.serverStatus()
  assert.equal(s.ok, 1)
  assert.equal(s.version, d.version())
  assert.equal(s.repl?.setName, set)
  equal([typeof s.connections.current, typeof d.hostInfo().system.numCores], ['number', 'number'])
  assert.ok(s.connections.current > 0)
})

test('databases, profile, log', (d) => {
  d.c.insertOne({})
  assert.ok(d.getMongo().getDBNames().includes('mongosh_suite'))
  assert.equal(d.getProfilingStatus().was, 0)
  d.setProfilingLevel(2)
  d.c.findOne({ wanted: 1 })
  d.setProfilingLevel(0)
  assert.equal(d.system.profile.countDocuments({ 'command.filter.wanted': 1 }), 1)
  assert.ok(d.adminCommand({ getLog: 'global' }).log.length > 0)
})

test('currentOp and killOp', (d) => {
  d.c.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id })))
  assert.equal(d.currentOp().ok, 1)
  const ops = d.getSiblingDB('admin').aggregate([{ $currentOp: { localOps: true } }, { $match: { 'command.aggregate': 1 } }]).toArray()
  assert.equal(ops.length, 1)
  assert.match(ops[0].clientMetadata.application.name, /^mongosh/)
  assert.equal(d.killOp(ops[0].opid).info, 'attempting to kill op')
  const err = fails(() => d.c.find({ $where: 'sleep(100) || true' }).maxTimeMS(200).toArray())
  assert.equal(err.codeName, 'MaxTimeMSExpired')
})

test('errors have codes', (d) => {
  const err = fails(() => d.runCommand({ noSuchCommand: 1 }))
  equal([err.code, err.codeName], [59, 'CommandNotFound'])
  assert.equal(fails(() => d.c.find({ $no: 1 }).toArray()).code, 2)
})
