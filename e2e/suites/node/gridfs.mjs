// Files of several MB, up and down, whole and in part.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { theme } from '../js/harness.mjs'
import { mongodb, thrown } from './server.mjs'
import { noise, sum } from './values.mjs'

const test = theme('gridfs')

async function upload(bucket, name, bytes, options) {
  const to = bucket.openUploadStream(name, options)
  await pipeline(Readable.from([bytes]), to)
  return to.id
}
async function read(stream) {
  const parts = []
  for await (const p of stream) parts.push(p)
  return Buffer.concat(parts)
}

for (const [size, chunk] of [[0, 1024], [255 * 1024, 255 * 1024], [(9 << 20) + 1, 1 << 20], [5 << 20, 255 * 1024]]) {
  test(`${size} bytes in chunks of ${chunk}`, async ({ db }) => {
    const bucket = new mongodb.GridFSBucket(db, { chunkSizeBytes: chunk })
    const bytes = noise(size, `file ${size}`)
    const id = await upload(bucket, 'file', bytes, { metadata: { owner: 'me' } })
    const [file] = await bucket.find({ _id: id }).toArray()
    assert.deepEqual([file.length, file.chunkSize, file.metadata], [size, chunk, { owner: 'me' }])
    assert.equal(await db.collection('fs.chunks').countDocuments(), Math.ceil(size / chunk))
    assert.equal(sum(await read(bucket.openDownloadStream(id))), sum(bytes))
  }, { long: size > 5 << 20 })
}

test('a part, a revision, another bucket, a new name', async ({ db }) => {
  const bucket = new mongodb.GridFSBucket(db, { bucketName: 'pictures', chunkSizeBytes: 1000 })
  const first = noise(5000, '1')
  await upload(bucket, 'p', first)
  const id = await upload(bucket, 'p', noise(5000, '2'))
  assert.equal(sum(await read(bucket.openDownloadStreamByName('p', { revision: 0, start: 1500, end: 3500 }))), sum(first.subarray(1500, 3500)))
  await bucket.rename(id, 'q')
  assert.equal(sum(await read(bucket.openDownloadStreamByName('q'))), sum(noise(5000, '2')))
})

test('delete, abort, missing', async ({ db }) => {
  const bucket = new mongodb.GridFSBucket(db)
  const id = await upload(bucket, 'f', noise(600_000))
  await bucket.delete(id)
  const up = bucket.openUploadStream('g', { chunkSizeBytes: 1000 })
  await new Promise((resolve) => up.write(noise(10_000), resolve))
  await up.abort()
  assert.deepEqual([await db.collection('fs.files').countDocuments(), await db.collection('fs.chunks').countDocuments()], [0, 0])
  assert.equal((await thrown(read(bucket.openDownloadStream(id)))).code, 'ENOENT')
})
