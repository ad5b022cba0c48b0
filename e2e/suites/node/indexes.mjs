// Indexes: all kinds that a standalone server has, and what they refuse.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { thrown } from './server.mjs'

const test = theme('indexes')

test('create and list', async ({ coll }) => {
  await coll.insertOne({})
  const names = await coll.createIndexes([
    { key: { a: 1, b: -1 }, name: 'ab' },
    { key: { text: 'text' }, weights: { text: 3 }, default_language: 'german' },
    { key: { place: '2dsphere' } },
    { key: { h: 'hashed' } },
    { key: { '$**': 1 }, wildcardProjection: { x: 1 } },
    { key: { t: 1 }, expireAfterSeconds: 3600, partialFilterExpression: { t: { $exists: true } } },
    { key: { u: 1 }, unique: true, sparse: true, hidden: true, collation: { locale: 'de', strength: 1 } },
  ])
  assert.deepEqual(names, ['ab', 'text_text', 'place_2dsphere', 'h_hashed', '$**_1', 't_1', 'u_1'])
  const list = await coll.listIndexes({ batchSize: 2 }).toArray()
  assert.deepEqual(list.map((i) => i.name), ['_id_', ...names])
  const u = list.at(-1)
  assert.deepEqual([u.unique, u.sparse, u.hidden, u.collation.locale, u.collation.strength], [true, true, true, 'de', 1])
})

test('drop and missing', async ({ coll }) => {
  await coll.createIndex({ a: 1 })
  await coll.dropIndex('a_1')
  assert.equal((await thrown(coll.dropIndex('a_1'))).code, 27)
  await coll.createIndex({ b: 1 })
  await coll.dropIndexes()
  assert.deepEqual((await coll.indexes()).map((i) => i.name), ['_id_'])
})

test('unique conflict', async ({ coll }) => {
  await coll.createIndex({ k: 1 }, { unique: true })
  await coll.insertOne({ _id: 1, k: 'x' })
  const err = await thrown(coll.insertOne({ _id: 2, k: 'x' }))
  assert.deepEqual([err.code, err.keyPattern ?? err.errorResponse.keyPattern], [11000, { k: 1 }])
  await coll.dropIndex('k_1')
  await coll.insertOne({ _id: 2, k: 'x' })
  const build = await thrown(coll.createIndex({ k: 1 }, { unique: true }))
  assert.deepEqual([build.code, build.codeName], [11000, 'DuplicateKey'])
})

test('conflicting options', async ({ coll }) => {
  await coll.createIndex({ a: 1 }, { name: 'first' })
  assert.equal((await thrown(coll.createIndex({ a: 1 }, { name: 'second' }))).code, 85)
  assert.equal((await thrown(coll.createIndex({ a: 1 }, { name: 'first', unique: true }))).code, 86)
})

test('text and geo queries', async ({ coll }) => {
  await coll.createIndexes([{ key: { text: 'text' } }, { key: { at: '2dsphere' } }])
  await coll.insertMany([
    { _id: 1, text: 'red apple', at: { type: 'Point', coordinates: [10, 50] } },
    { _id: 2, text: 'green pear', at: { type: 'Point', coordinates: [11, 51] } },
  ])
  const found = await coll.find({ $text: { $search: 'apple' } }, { projection: { score: { $meta: 'textScore' } } }).toArray()
  assert.deepEqual([found.length, found[0]._id, found[0].score], [1, 1, 0.75])
  const near = await coll.find({ at: { $near: { $geometry: { type: 'Point', coordinates: [11, 51] } } } }).toArray()
  assert.deepEqual(near.map((d) => d._id), [2, 1])
})
