import './models.mjs'
import './saving.mjs'
import './populate.mjs'
import './streams.mjs'
import './transactions.mjs'
import { runTests } from '../js/harness.mjs'
import { close, open } from './connection.mjs'

await runTests(open, close)
