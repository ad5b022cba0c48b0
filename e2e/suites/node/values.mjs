// Every type of BSON, and documents as large as the server takes.
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { theme } from '../js/harness.mjs'
import { mongodb, thrown } from './server.mjs'

const test = theme('values')
const { Binary, BSONRegExp, Code, DBRef, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } = mongodb

/** Bytes that are the same in every run, and compress badly. */
export function noise(length, seed = 'noise') {
  const key = crypto.createHash('sha256').update(seed).digest()
  return crypto.createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}

export const sum = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex')

const all = {
  _id: new ObjectId('0123456789abcdef01234567'), double: new Double(1.5), negativeZero: new Double(-0), nan: new Double(NaN), infinite: new Double(Infinity),
  string: 'grün \u0000 \u{1F600}', empty: '', object: { a: { b: {} } }, array: [1, [2, [3]], {}], binary: new Binary(Buffer.from([0, 255, 1]), 0),
  user: new Binary(Buffer.from('x'), 128), uuid: new UUID('00112233-4455-6677-8899-aabbccddeeff'), yes: true, no: false, date: new Date(-1),
  nothing: null, regexp: new BSONRegExp('^a.*b', 'imx'), ref: new DBRef('things', new ObjectId('0123456789abcdef01234567')), code: new Code('return 1'),
  scope: new Code('return x', { x: 1 }), int32: new Int32(-2147483648), timestamp: new Timestamp({ t: 1, i: 2 }), long: Long.fromString('9223372036854775807'),
  decimal: Decimal128.fromString('-1.234567890123456789012345678901234E-10'), min: new MinKey(), max: new MaxKey(), 'a.b': 1, $c: 1, '': 'no name',
}

test('every type, byte for byte', async ({ coll }) => {
  await coll.insertOne(all)
  const raw = await coll.findOne({}, { raw: true })
  assert.equal(Buffer.from(raw).toString('hex'), Buffer.from(mongodb.BSON.serialize(all)).toString('hex'))
})

test('long and decimal arithmetic', async ({ coll }) => {
  await coll.insertOne({ _id: 1, l: Long.fromString('9007199254740993'), d: Decimal128.fromString('0.1') })
  await coll.updateOne({ _id: 1 }, { $inc: { l: Long.fromNumber(2), d: Decimal128.fromString('0.2') } })
  const doc = await coll.findOne({}, { promoteLongs: false })
  assert.deepEqual([doc.l.toString(), doc.d.toString()], ['9007199254740995', '0.3'])
  const big = await coll.findOne({}, { useBigInt64: true })
  assert.equal(big.l, 9007199254740995n)
})

for (const size of [1 << 20, 15 << 20]) {
  test(`a document of ${size >> 20} MiB`, async ({ coll }) => {
    const blob = noise(size)
    await coll.insertOne({ _id: 1, blob })
    const back = await coll.findOne({ _id: 1 })
    assert.equal(sum(back.blob.buffer.subarray(0, back.blob.position)), sum(blob))
    await coll.replaceOne({ _id: 1 }, { text: 'ü'.repeat(size >> 2) })
    assert.equal((await coll.findOne()).text, 'ü'.repeat(size >> 2))
  }, { long: size > 1 << 20 })
}

test('a document of 16 MiB and more is refused', async ({ coll }) => {
  const err = await thrown(coll.insertOne({ _id: 1, blob: noise((16 << 20) + 1) }))
  assert.equal(err.code, 2)
  assert.equal(await coll.countDocuments(), 0)
}, { long: true })

test('deep nesting', async ({ coll }) => {
  let deep = { end: 1 }
  for (let i = 0; i < 150; i++) deep = { d: deep }
  await coll.insertOne({ _id: 1, deep })
  assert.deepEqual((await coll.findOne()).deep, deep)
  for (let i = 0; i < 40; i++) deep = { d: deep } // more than the server takes, less than the proxy can look into
  const err = await thrown(coll.insertOne({ _id: 2, deep }))
  assert.equal(err.code, 15)
})

test('many fields, long names', async ({ coll }) => {
  const doc = { _id: 1 }
  for (let i = 0; i < 5000; i++) doc[`field_${i}_${'x'.repeat(i % 97)}`] = i
  await coll.insertOne(doc)
  assert.deepEqual(await coll.findOne(), doc)
})
