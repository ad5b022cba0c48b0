// Replica sets: their commands (how many members, never which), transactions, change streams.
test('hello', (d) => {
  const h = d.hello()
  assert.equal(h.isWritablePrimary, true)
  assert.equal(h.hosts?.length, set ? rs.conf().members.length : undefined)
  if (set) assert.ok(h.hosts.includes(h.me) && h.primary === h.me)
})

test('rs.status, rs.conf, rs.hello', () => {
  needsSet()
  const s = rs.status()
  const many = rs.conf().members.length
  equal([s.set, s.myState, s.members.length], [set, 1, many])
  equal(s.members.map((m) => m.stateStr).sort(), ['PRIMARY', ...Array(many - 1).fill('SECONDARY')])
  equal(s.members.filter((m) => m.self).map((m) => m.name), [rs.hello().me])
  equal(rs.conf().members.map((m) => m.host).sort(), [...rs.hello().hosts].sort())
  equal(rs.conf().members.map((m) => m.host), s.members.map((m) => m.name))
})

test('a standalone server has no set', () => {
  if (set) skip('is in a set')
  assert.equal(fails(() => rs.status()).code, 76)
})

test('a reconfiguration that changes a tag', () => {
  needsSet()
  const conf = rs.conf()
  conf.members[0].tags = { dc: 'x' }
  assert.equal(rs.reconfig(conf).ok, 1)
  equal(rs.conf().members[0].tags, { dc: 'x' })
  conf.members[0].tags = {}
  conf.version = rs.conf().version
  assert.equal(rs.reconfig(conf).ok, 1)
  assert.equal(rs.status().members.length, conf.members.length)
})

test('secondaries can be read', (d) => {
  needsSet()
  if (single) skip('one member only')
  d.c.insertOne({ _id: 1 }, { writeConcern: { w: rs.conf().members.length } })
  equal(d.c.find().readPref('secondary').toArray(), [{ _id: 1 }])
})

test('transactions', (d) => {
  needsSet()
  d.createCollection('t')
  const session = d.getMongo().startSession()
  const t = session.getDatabase(d.getName()).t
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } })
  t.insertOne({ _id: 1 })
  equal([t.countDocuments(), d.t.countDocuments()], [1, 0])
  session.commitTransaction()
  assert.equal(d.t.countDocuments(), 1)
  session.startTransaction()
  t.deleteMany({})
  session.abortTransaction()
  assert.equal(d.t.countDocuments(), 1)
  session.endSession()
})

test('watch', (d) => {
  needsSet()
  d.createCollection('w')
  const stream = d.watch([{ $match: { operationType: 'insert' } }])
  assert.equal(stream.tryNext(), null)
  d.w.insertMany([{ _id: 1 }, { _id: 2 }])
  equal([stream.next(), stream.next()].map((e) => e.fullDocument._id), [1, 2])
  stream.close()
})
