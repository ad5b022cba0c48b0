import { load, skip, uri } from '../js/harness.mjs'

export const mongoose = load('mongoose')
export const { Schema } = mongoose

let count = 0

/** A connection with models of its own, to an empty database. */
export async function open() {
  const conn = await mongoose.createConnection(uri, { dbName: `mongoose${++count}`, autoIndex: false }).asPromise()
  await conn.dropDatabase()
  return conn
}

export async function close(conn) {
  await conn.dropDatabase()
  await conn.close()
}

export async function needsSet(conn) {
  const { setName } = await conn.db.admin().command({ hello: 1 })
  if (!setName) skip('needs a replica set')
}
