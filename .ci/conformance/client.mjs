#!/usr/bin/env node
/**
 * The client that the suite tests: `nova mcp probe` on a server's address, which follows the address of a sign-in itself.
 *
 *   client.mjs NOVA URL
 *
 * What a scenario gives the client beforehand becomes the server's entry, as a user would write it.
 */

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [nova, url] = process.argv.slice(2)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const folder = mkdtempSync(join(tmpdir(), 'nova-client-'))
const passphrase = join(folder, 'passphrase')
writeFileSync(passphrase, 'of the conformance suite')
const env = {
  ...process.env,
  NOVA_CONFIG_DIR: join(folder, 'config'),
  NOVA_DATA_DIR: join(folder, 'data'),
  NOVA_PASSPHRASE_FILE: passphrase,
}

const oauth = {}
if (context.client_id) oauth.client_id = context.client_id
if (context.client_secret) oauth.client_secret = '${credentials:conformance/secret}'
// Where Nova's user has put a document of the client; the suite has one address for all.
if (scenario === 'auth/basic-cimd') oauth.client_id = 'https://conformance-test.local/client-metadata.json'

let code
try {
  let server = url
  if (Object.keys(oauth).length > 0) {
    server = 'conformance'
    run(['mcp', 'add', server, '--url', url])
    const file = join(env.NOVA_CONFIG_DIR, 'nova.config.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { [server]: { url, oauth } } }))
    if (context.client_secret) run(['credential', 'set', 'conformance/secret'], context.client_secret)
  }
  code = await probe(server)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(code)

function run(args, input = '') {
  execFileSync(nova, args, { env, input, stdio: ['pipe', 'ignore', 'inherit'] })
}

function probe(server) {
  const args = ['mcp', 'probe', '--call', '--auth', 'follow', server]
  const run = spawn(nova, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
  return new Promise((done) => run.on('close', done))
}
