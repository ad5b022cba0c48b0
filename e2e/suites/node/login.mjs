// Logging in. Without a user in the URI there is nothing to log in to.
import assert from 'node:assert/strict'
import { skip, theme, uri } from '../js/harness.mjs'
import { another, commands, thrown } from './server.mjs'

const test = theme('login')
const needsUser = () => /\/\/[^/]*@/.test(uri) || skip('no user in the URI')

test('who the server says we are', async ({ client }) => {
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1 })
  const { user } = client.options.credentials?.username ? { user: client.options.credentials.username } : {}
  assert.deepEqual(authInfo.authenticatedUsers.map((u) => u.user), user ? [user] : [])
})

for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-1']) {
  test(`a user made for ${mechanism}`, async (c) => {
    needsUser()
    const allowed = (await c.client.db('admin').command({ getParameter: 1, authenticationMechanisms: 1 })).authenticationMechanisms
    if (!allowed.includes(mechanism)) skip('the server does not take it')
    const who = { user: 'other', pwd: 'pä$$wörd/@:' }
    await c.db.command({ createUser: who.user, pwd: who.pwd, roles: ['read'], mechanisms: [mechanism] })
    const to = uri.replace(/\/\/[^/]*@/, '//').replace(/authMechanism=[^&]*&?/, '').replace(/authSource=[^&]*&?/, '')
    const client = await another(c, { auth: { username: who.user, password: who.pwd }, authSource: c.db.databaseName, authMechanism: mechanism }, to)
    const db = client.db(c.db.databaseName)
    assert.equal(await db.collection('things').countDocuments(), 0)
    assert.equal((await thrown(db.collection('things').insertOne({}))).code, 13)
    const err = await thrown(another({ clients: [] }, { auth: { username: who.user, password: 'wrong' }, authSource: c.db.databaseName, authMechanism: mechanism }, to))
    assert.deepEqual([err.code, err.codeName], [18, 'AuthenticationFailed'])
    await c.db.command({ dropUser: who.user })
  })
}

test('without a login nothing is allowed', async (c) => {
  needsUser()
  const to = uri.replace(/\/\/[^/]*@/, '//').replace(/authMechanism=[^&]*&?/, '').replace(/authSource=[^&]*&?/, '')
  const client = await another(c, { monitorCommands: true }, to)
  const names = commands(client)
  assert.deepEqual([(await thrown(client.db(c.db.databaseName).collection('x').findOne())).code, names], [13, ['find']])
})
