// References that are followed: nested, virtual, conditional, across models.
import assert from 'node:assert/strict'
import { theme } from '../js/harness.mjs'
import { Schema } from './connection.mjs'

const test = theme('populate')

async function library(conn) {
  const City = conn.model('City', new Schema({ _id: Number, name: String }))
  const author = new Schema({ _id: Number, name: String, city: { type: Number, ref: 'City' } })
  author.virtual('books', { ref: 'Book', localField: '_id', foreignField: 'author', options: { sort: { _id: 1 } } })
  const Author = conn.model('Author', author)
  const Book = conn.model('Book', new Schema({ _id: Number, title: String, author: { type: Number, ref: 'Author' } }))
  await City.create([{ _id: 1, name: 'Kiel' }, { _id: 2, name: 'Ulm' }])
  await Author.create([{ _id: 1, name: 'Ada', city: 1 }, { _id: 2, name: 'Bo', city: 2 }])
  await Book.insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: i, title: `t${i}`, author: (i % 2) + 1 })))
  return { Author, Book }
}

test('nested', async (conn) => {
  const { Book } = await library(conn)
  const books = await Book.find().sort('_id').populate({ path: 'author', populate: { path: 'city' } })
  assert.deepEqual(books.slice(0, 2).map((b) => b.author.city.name), ['Kiel', 'Ulm'])
})

test('virtual, with match and count', async (conn) => {
  const { Author } = await library(conn)
  const [ada] = await Author.find({ _id: 1 }).populate({ path: 'books', match: { _id: { $gt: 2 } }, select: 'title' })
  assert.deepEqual(ada.books.map((b) => b.title), ['t4', 't6', 't8'])
})

test('after the fact, and missing', async (conn) => {
  const { Book } = await library(conn)
  const b = await Book.create({ _id: 99, author: 77 })
  await b.populate('author')
  assert.equal(b.author, null)
  const other = await Book.findById(1)
  assert.equal(other.populated('author'), undefined)
  await other.populate('author')
  assert.deepEqual([other.author.name, other.populated('author')], ['Bo', 2])
})
