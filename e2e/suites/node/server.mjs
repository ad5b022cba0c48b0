// The deployment behind the URI, and what each test gets of it.
import { load, skip, uri } from '../js/harness.mjs'

export const mongodb = load('mongodb')
export const { MongoClient } = mongodb

let count = 0

/** A client, a database and a collection of the test's own, both empty. */
export async function open() {
  const client = await connect()
  const db = client.db(`node${++count}`)
  await db.dropDatabase()
  return { client, db, coll: db.collection('things'), clients: [client] }
}

export async function close({ client, db, clients }) {
  await db.dropDatabase()
  for (const c of clients) await c.close()
}

/** One more client; who calls closes it, or adds it to the test's clients. */
export const connect = (options = {}, to = uri) => new MongoClient(to, options).connect()

/** As connect, closed after the test c. */
export async function another(c, options, to) {
  const client = await connect(options, to)
  c.clients.push(client)
  return client
}

export const hello = (client) => client.db('admin').command({ hello: 1 })
export const inSet = async (client) => (await hello(client)).setName !== undefined
export const needsSet = async (client) => (await inSet(client)) || skip('needs a replica set')
export const direct = uri.includes('directConnection=true')

/** failCommand: what the server shall do to the next commands; off() ends it. */
export async function failCommand(client, mode, data) {
  const admin = client.db('admin')
  await admin.command({ configureFailPoint: 'failCommand', mode, data })
  return { off: () => admin.command({ configureFailPoint: 'failCommand', mode: 'off' }) }
}

/** The error that the promise ends with; a promise that succeeds is an error. */
export async function thrown(promise) {
  let value
  try {
    value = await promise
  } catch (err) {
    return err
  }
  throw new Error(`succeeded: ${JSON.stringify(value)}`)
}

/** Names of the commands that a client sends on the application's behalf. */
export function commands(client) {
  const names = []
  client.on('commandStarted', (e) => names.push(e.commandName))
  return names
}
