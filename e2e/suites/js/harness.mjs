// What the suites in JavaScript share: a list of tests, and the lines that a
// suite prints on standard output.
import { createRequire } from 'node:module'
import path from 'node:path'

// Packages come from the folder that setup filled, not from beside the source.
const require = createRequire(path.join(process.env.SUITE_CACHE, 'index.js'))
export const load = (name) => require(name)

export const uri = process.env.MONGODB_URI
export const short = process.env.SUITE_SHORT === '1'

const only = process.env.SUITE_ONLY ? new Set(process.env.SUITE_ONLY.split('\n').filter(Boolean)) : null
const tests = []

class Skip extends Error {}

/** Ends a test that the deployment cannot take. */
export const skip = (why) => {
  throw new Skip(why)
}

/** theme returns the function that adds tests whose ids begin with the name. Options: long, left out of the short subset. */
export const theme = (name) => (id, fn, options = {}) => tests.push({ id: `${name}: ${id}`, fn, ...options })

// A guard against hanging, far beyond what any test takes; not a measurement.
const guard = 120_000

const limited = (promise) => {
  let timer
  const end = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('hangs')), guard)
  })
  return Promise.race([promise, end]).finally(() => clearTimeout(timer))
}

/**
 * runTests runs them one after the other; each gets what context() makes, and dispose() ends that.
 * Then the process ends: a failed test may have left a client open, which would keep it alive.
 */
export async function runTests(context, dispose) {
  const ids = new Set()
  for (const t of tests) {
    if (ids.has(t.id)) throw new Error(`two tests are called ${t.id}`)
    ids.add(t.id)
    if (only ? !only.has(t.id) : short && t.long) continue
    const began = Date.now()
    let outcome = 'pass'
    let c
    try {
      c = await context(t.id)
      await limited(t.fn(c))
    } catch (err) {
      outcome = err instanceof Skip ? 'skip' : 'fail'
      console.error(`--- ${outcome} ${t.id}: ${outcome === 'skip' ? err.message : err.stack}`)
    }
    try {
      if (c) await limited(dispose(c))
    } catch (err) {
      outcome = 'fail'
      console.error(`--- ${t.id}, afterwards: ${err.stack}`)
    }
    console.error(`${Date.now() - began} ms\t${t.id}`)
    process.stdout.write(`${outcome}\t${t.id}\n`)
  }
  process.exit() // standard output is a pipe: what was written has arrived
}
