#!/usr/bin/env node
/**
 * Runs the official conformance suite of MCP against Nova: its server scenarios against `nova mcp serve --http`,
 * its client scenarios against `nova mcp probe` (client.mjs), which takes the way of every server. Then the official Inspector
 * calls a tool of `nova mcp serve` over stdio.
 *
 *   .ci/conformance/run.mjs NOVA
 *   .ci/conformance/run.mjs NOVA next
 *
 * `next` reports what the suite of the next version of the protocol finds, and passes whatever that is.
 *
 * The suite cannot send a token, so its requests pass through a relay that adds it.
 */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const bin = join(here, 'node_modules/.bin')
const [nova, version] = process.argv.slice(2)
if (!nova || (version !== undefined && version !== 'next')) {
  console.error('usage: run.mjs NOVA [next]')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'nova-conformance-'))
const token = 'a-token-for-the-conformance-suite'

// Only what the program needs, so that the user's own Nova is not touched.
const env = {
  HOME: folder,
  PATH: process.env.PATH,
  NOVA_CONFIG_DIR: join(folder, 'config'),
  NOVA_DATA_DIR: join(folder, 'data'),
  NOVA_LOCAL_SERVERS: '',
  NOVA_MCP_TOKEN: token,
}
const server = spawn(nova, ['mcp', 'serve', '--http', '0', '--vault', join(here, '../../vault-template')], {
  env,
  stdio: ['ignore', 'inherit', 'pipe'],
})

let relay
let passed = false
try {
  const served = await url(server)
  relay = await listen(served)
  const address = `http://127.0.0.1:${relay.address().port}${served.pathname}`
  const client = ['client', '--command', `${join(bin, 'node')} ${join(here, 'client.mjs')} ${resolve(nova)}`]
  if (version === 'next') {
    await report(['server', '--url', address])
    await report(client)
    passed = true
  } else {
    const serves = await suite(['server', '--url', address])
    const calls = await suite([...client, '--suite', 'all'])
    passed = serves && calls && (await inspector())
  }
} finally {
  relay?.close()
  relay?.closeAllConnections()
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(passed ? 0 : 1)

/** Where the server listens, as it says. */
async function url(server) {
  for await (const line of createInterface({ input: server.stderr })) {
    const said = /^nova: serving at (.*)$/.exec(line)
    if (said) {
      server.stderr.resume()
      return new URL(said[1])
    }
    console.error(line)
  }
  throw new Error('nova mcp serve ended before it listened')
}

/** Passes requests on with the token; a Host or Origin that names the relay becomes the server's own. */
function listen(served) {
  const relay = http.createServer((request, response) => {
    const own = new RegExp(`^(https?://)?(127\\.0\\.0\\.1|localhost):${relay.address().port}$`)
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    for (const name of ['host', 'origin']) {
      headers[name] = headers[name]?.replace(own, `$1$2:${served.port}`)
      if (headers[name] === undefined) delete headers[name]
    }
    const passed = http.request(
      { host: served.hostname, port: served.port, path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  return new Promise((done) => relay.listen(0, '127.0.0.1', () => done(relay)))
}

/** Whether the Inspector's command line gets the answer of a tool. */
async function inspector() {
  const command = [resolve(nova), 'mcp', 'serve', '--vault', join(here, '../../vault-template')]
  const call = ['--method', 'tools/call', '--tool-name', 'crm__get_contact', '--tool-arg', 'name=Jane Doe']
  const run = spawn(join(bin, 'node'), [join(bin, 'mcp-inspector'), '--cli', ...command, ...call, '--format', 'json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  run.stdout.on('data', (part) => (said += part))
  const code = await new Promise((done) => run.on('close', done))
  const source = code === 0 && JSON.parse(said).result.structuredContent.sources[0]?.path
  const answered = source === 'CRM/People/Jane Doe.md'
  console.log(`inspector: ${answered ? 'answered' : `not answered: ${said}`}`)
  return answered
}

/** Prints what the suite finds that the next version of the protocol requires. */
async function report(args) {
  const { summary } = await conformance('conformance-next', [...args, '--requirements', '2026-07-28'])
  console.log(`${args[0]} ${summary}`)
}

/** Runs one part and prints its summary. Besides what the suite counts as a failure, a scenario fails that checked nothing. */
async function suite(args) {
  const expected = ['--expected-failures', join(here, 'expected-failures.yaml')]
  const { code, summary } = await conformance('@modelcontextprotocol/conformance', [...args, ...expected])
  console.log(`${args[0]} ${summary}`)
  const idle = [...summary.matchAll(/✓ (\S+): 0 passed, 0 failed/g)].map((found) => found[1])
  if (idle.length > 0) console.log(`Checked nothing: ${idle.join(', ')}`)
  return (code === 0 || onlyWarned(summary)) && idle.length === 0
}

/** Exit code and summary of the suite, which needs a newer Node than most systems have, so it brings its own. */
async function conformance(name, args) {
  const script = join(here, 'node_modules', name, 'dist/index.js')
  const run = spawn(join(bin, 'node'), [script, ...args, '--output-dir', join(folder, args[0])], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  run.stdout.on('data', (part) => (said += part))
  const code = await new Promise((done) => run.on('close', done))
  return { code, summary: said.slice(said.search(/=== (SUITE )?SUMMARY ===/)) }
}

/** Whether all that the suite did not expect are warnings: a client that a busy machine makes late is warned. */
function onlyWarned(summary) {
  const unexpected = summary.split('Unexpected failures (not in baseline)')[1] ?? ''
  const failed = [...unexpected.matchAll(/✗ (\S+)/g)].map((found) => found[1])
  const warned = new Set([...summary.matchAll(/✗ (\S+): [1-9]\d* passed, 0 failed/g)].map((found) => found[1]))
  return !summary.includes('Baseline is stale') && failed.length > 0 && failed.every((name) => warned.has(name))
}
