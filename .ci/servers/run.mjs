#!/usr/bin/env node
/**
 * Runs Nova with real MCP servers, of npm and of PyPI, over stdio and Streamable HTTP: each is added, agreed to, listed
 * and called by the commands a user has. Afterwards no process of theirs may be left.
 *
 *   .ci/servers/run.mjs NOVA
 *
 * A server that is not installed is named and left out; continuous integration fails then.
 */

import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const npm = join(here, 'node_modules/.bin')
const pypi = join(here, '../../.cache/mcp-servers/bin')
const nova = process.argv[2] && resolve(process.argv[2])
if (!nova) {
  console.error('usage: run.mjs NOVA')
  process.exit(2)
}
// Every process of this run has it as its home, which is how those left behind are found.
const home = mkdtempSync(join(tmpdir(), 'nova-servers-'))
const files = join(home, 'files')
const repository = join(home, 'repository')
const env = {
  HOME: home,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  LANG: 'C.UTF-8',
  NOVA_CONFIG_DIR: join(home, 'config'),
  NOVA_DATA_DIR: join(home, 'data'),
  NOVA_LOCAL_SERVERS: '',
}
const STABLE = '2025-11-25'
const NEXT = '2026-07-28'

let failed = 0
let page
let everything
try {
  prepare()
  page = await pageServer()
  const installed = servers().filter(({ name, program }) => {
    if (existsSync(program)) return true
    console.log(`✗ ${name}: not installed; see .ci/servers/install`)
    if (process.env.CI) failed++
    return false
  })
  for (const server of installed) await add(server)
  await Promise.all(installed.map(use))
} catch (error) {
  failed++
  console.log(`✗ ${error.message}`)
} finally {
  page?.close()
  everything?.kill()
}
for (const left of await processesLeft()) {
  failed++
  console.log(`✗ left behind: ${left}`)
}
rmSync(home, { recursive: true, force: true })
if (failed === 0) console.log('servers: all that are installed behaved')
process.exit(failed === 0 ? 0 : 1)

/** Each with what it lists at least, and calls with a part of the answer; `fails` marks a call that it refuses. */
function servers() {
  const echo = { tool: 'echo', args: { message: 'hello' }, says: 'Echo: hello' }
  const sum = { tool: 'get-sum', args: { a: 2, b: 40 }, says: '42' }
  const structured = { tool: 'get-structured-content', args: { location: 'Chicago' }, says: '"temperature"' }
  const long = { tool: 'trigger-long-running-operation', args: { duration: 1, steps: 2 }, says: 'completed' }
  const image = { tool: 'get-tiny-image', args: {}, says: 'image/png' }
  const link = { tool: 'get-resource-links', args: { count: 2 }, says: 'Resource' }
  const everythingTools = { protocol: STABLE, tools: 13, calls: [echo, sum, structured, long, image, link] }
  return [
    {
      name: 'everything', program: join(npm, 'mcp-server-everything'), args: ['stdio'], ...everythingTools,
    },
    {
      name: 'everything-http', program: join(npm, 'mcp-server-everything'), http: true, ...everythingTools,
    },
    {
      name: 'filesystem', program: join(npm, 'mcp-server-filesystem'), args: [files], protocol: STABLE, tools: 11,
      calls: [
        { tool: 'write_file', args: { path: join(files, 'new.txt'), content: 'from Nova' }, says: 'Success' },
        { tool: 'read_text_file', args: { path: join(files, 'new.txt') }, says: 'from Nova' },
        { tool: 'read_text_file', args: { path: join(home, 'outside.txt') }, fails: 'Access denied' },
      ],
    },
    {
      name: 'memory', program: join(npm, 'mcp-server-memory'), args: [], protocol: STABLE, tools: 9,
      env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
      calls: [
        {
          tool: 'create_entities', says: 'Jane',
          args: { entities: [{ name: 'Jane', entityType: 'person', observations: ['likes tea'] }] },
        },
        // Another process, which reads what the one before has written.
        { tool: 'search_nodes', args: { query: 'tea' }, says: 'Jane' },
      ],
    },
    {
      name: 'thinking', program: join(npm, 'mcp-server-sequential-thinking'), args: [], protocol: STABLE, tools: 1,
      calls: [
        {
          tool: 'sequentialthinking', says: '"thoughtHistoryLength":1',
          args: { thought: 'First', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        },
      ],
    },
    {
      name: 'git', program: join(pypi, 'mcp-server-git'), args: ['--repository', repository], protocol: NEXT, tools: 12,
      calls: [
        { tool: 'git_log', args: { repo_path: repository }, says: 'The first commit' },
        { tool: 'git_status', args: { repo_path: repository }, says: 'untracked.txt' },
      ],
    },
    {
      name: 'time', program: join(pypi, 'mcp-server-time'), args: ['--local-timezone=UTC'], protocol: NEXT, tools: 2,
      calls: [
        {
          tool: 'convert_time', says: '+9.0h',
          args: { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' },
        },
        { tool: 'get_current_time', args: { timezone: 'Nowhere/City' }, fails: 'Nowhere/City' },
      ],
    },
    {
      name: 'fetch', program: join(pypi, 'mcp-server-fetch'), args: ['--allow-private-ips'],
      protocol: NEXT, tools: 1,
      calls: [{ tool: 'fetch', args: { url: `${page.url}/page`, raw: true }, says: 'A page of this test' }],
    },
  ]
}

function prepare() {
  for (const folder of [files, repository, join(home, 'vault')]) mkdirSync(folder)
  writeFileSync(join(home, 'outside.txt'), 'not for the server')
  writeFileSync(join(repository, 'untracked.txt'), '')
  mkdirSync(env.NOVA_CONFIG_DIR)
  writeFileSync(join(env.NOVA_CONFIG_DIR, 'nova.config.json'), JSON.stringify({ vault: join(home, 'vault') }))
}

/** A page for the server that fetches, so that no test needs the network. */
async function pageServer() {
  const server = http.createServer((request, response) => {
    response.writeHead(request.url === '/page' ? 200 : 404, { 'content-type': 'text/html' })
    response.end('<html><body><p>A page of this test</p></body></html>')
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

async function add(server) {
  if (server.name === 'git') await commit()
  const variables = Object.entries(server.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const way = server.http
    ? ['--url', await serveEverything(server.program)]
    : ['--command', server.program, ...variables, '--', ...server.args]
  await run(['mcp', 'add', server.name, ...way])
  await run(['mcp', 'review', server.name, '--accept'])
}

async function commit() {
  const git = promisify(execFile)
  const by = ['-c', 'user.name=Nova', '-c', 'user.email=nova@example.org']
  await git('git', ['-C', repository, 'init', '--quiet'], { env })
  await git('git', ['-C', repository, ...by, 'commit', '--quiet', '--allow-empty', '-m', 'The first commit'], { env })
}

/** Its address, once it listens. */
async function serveEverything(program) {
  const port = await freePort()
  everything = spawn(program, ['streamableHttp'], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  for await (const line of createInterface({ input: everything.stderr })) {
    if (line.includes(`port ${port}`)) break
  }
  everything.stderr.resume()
  return `http://127.0.0.1:${port}/mcp`
}

function freePort() {
  const taken = http.createServer()
  return new Promise((done) =>
    taken.listen(0, '127.0.0.1', () => {
      const { port } = taken.address()
      taken.close(() => done(port))
    }),
  )
}

/** Calls it, one call after the other as some need what those before them did; then every tool of its list. */
async function use({ name, protocol, tools, calls }) {
  for (const { tool, args, says, fails } of calls) {
    const given = ['--args', JSON.stringify(args), '--approve', 'all', '--json']
    const result = await run(['tool', 'call', `${name}.${tool}`, ...given], true)
    const text = JSON.stringify(result.ok ? result.value : result.error)
    const wanted = fails ?? says
    const found = text.includes(wanted) || text.replaceAll('\\"', '"').includes(wanted)
    verdict(`${name}.${tool}`, result.ok === (fails === undefined) && found, text.slice(0, 300))
  }
  const probed = await run(['mcp', 'probe', name, '--call', '--json'], true)
  const is = `protocol ${probed.protocol}, ${probed.tools?.length} tools`
  const every = probed.ok && probed.tools.every(({ called }) => called)
  verdict(`${name}: ${is}, each called`, every && probed.protocol === protocol && probed.tools.length >= tools, is)
}

function verdict(what, good, seen) {
  if (!good) failed++
  console.log(good ? `✓ ${what}` : `✗ ${what}: ${seen}`)
}

/** What a command of Nova prints, as JSON where it is that. */
async function run(args, mayFail = false) {
  let out
  try {
    out = await promisify(execFile)(nova, args, { env, timeout: 120_000, maxBuffer: 64 << 20 })
  } catch (error) {
    if (!mayFail || !error.stdout) throw new Error(`nova ${args.join(' ')}: ${error.stderr || error.message}`)
    out = error
  }
  return args.includes('--json') ? JSON.parse(out.stdout) : out.stdout
}

/** Processes of this run that are still there after five seconds, on Linux. */
async function processesLeft() {
  if (!existsSync('/proc/self/environ')) return []
  const until = Date.now() + 5_000
  for (;;) {
    const left = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .flatMap((pid) => {
        try {
          const of = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
          return of.includes(`HOME=${home}`) && command ? [`${pid} ${command}`] : []
        } catch {
          return []
        }
      })
    if (left.length === 0 || Date.now() > until) return left
    await new Promise((done) => setTimeout(done, 50))
  }
}
