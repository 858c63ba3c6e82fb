/** `node --test .ci/circles`: what counts as a circle, shown on small crates and pages. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, test } from 'node:test';
import { circlesOf, compare, linesOf } from './graph.mjs';
import { rustImports } from './rust.mjs';
import { typescriptImports } from './typescript.mjs';

const folders = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function written(files) {
  const folder = mkdtempSync(join(tmpdir(), 'circles-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function named(folder, imports) {
  const short = (file) => relative(folder, file);
  return circlesOf(
    new Map([...imports].map(([file, targets]) => [short(file), new Map([...targets].map(([to, line]) => [short(to), line]))])),
  );
}

function crate(files) {
  const folder = written(files);
  return named(folder, rustImports(join(folder, 'lib.rs'))).circles;
}

function page(files) {
  const folder = written(files);
  const paths = Object.keys(files).map((path) => join(folder, path));
  return named(folder, typescriptImports(paths, 'ui')).circles;
}

const circle = [['a.rs', 'b.rs']];

test('two files that use each other are a circle', () => {
  const b = 'use crate::a::A;\npub struct B(A);';
  assert.deepEqual(crate({ 'lib.rs': 'mod a;\nmod b;', 'a.rs': 'use crate::b::B;\npub struct A;', 'b.rs': b }), circle);
  assert.deepEqual(crate({ 'lib.rs': 'mod a;\nmod b;', 'a.rs': 'pub struct A;', 'b.rs': b }), []);
});

test('a re-export leads to the file that defines the name', () => {
  const files = {
    'lib.rs': 'mod a;\nmod b;\npub use b::B;\npub mod all { pub use crate::a::*; }',
    'a.rs': 'use crate::{B as Other};\npub struct A;',
    'b.rs': 'use crate::all::{self, A};\npub struct B;',
  };
  assert.deepEqual(crate(files), circle);
});

test('a path in the code counts as an import does', () => {
  const files = {
    'lib.rs': 'mod a;\nmod b;',
    'a.rs': 'use crate::b;\npub fn a() { b::inner::go(); }',
    'b.rs': 'pub mod inner { pub fn go() -> super::super::a::X { loop {} } }',
  };
  assert.deepEqual(crate(files), []);
  files['a.rs'] += '\npub struct X;';
  assert.deepEqual(crate(files), circle);
});

test('names that only look like paths are none', () => {
  const files = {
    'lib.rs': 'mod a;\nmod b;',
    'a.rs': `// crate::b::B\n/* crate::b::B /* */ crate::b::B */\nconst T: &str = "crate::b::B \\" ";
const R: &str = r#"use crate::b::B;"#;\nconst C: char = '"';\npub struct A<'a>(&'a str);`,
    'b.rs': 'use crate::a::A;\npub struct B;',
  };
  assert.deepEqual(crate(files), []);
  files['a.rs'] += '\nfn real(_: crate::b::B) {}';
  assert.deepEqual(crate(files), circle);
});

test('code for tests is left out, and the code behind it is not', () => {
  const files = {
    'lib.rs': 'mod a;\nmod b;\n#[cfg(test)]\nmod tests;',
    'a.rs': '#[cfg(test)]\nmod tests { use crate::b::B; }\n#[cfg(test)]\nuse crate::b::{B};\npub struct A;',
    'b.rs': 'use crate::a::A;\npub struct B;',
  };
  assert.deepEqual(crate(files), []);
  files['a.rs'] += '\nuse crate::b::B as Real;';
  assert.deepEqual(crate(files), circle);
});

test('a module and its child may use each other, two children may not', () => {
  const files = {
    'lib.rs': 'mod a;',
    'a.rs': 'mod one;\nmod two;\npub use one::One;\npub struct A;',
    'a/one.rs': 'use super::A;\nuse super::two::Two;\npub struct One;',
    'a/two.rs': 'pub struct Two;',
  };
  assert.deepEqual(crate(files), []);
  files['a/two.rs'] += 'use super::One;';
  assert.deepEqual(crate(files), [['a/one.rs', 'a/two.rs']]);
});

test('a module may hand on what a grandchild defines, and may not use it', () => {
  const files = {
    'lib.rs': 'mod a;',
    'a.rs': 'mod b;\npub(crate) use b::C;\npub struct A;',
    'a/b.rs': 'mod c;\npub(super) use c::C;',
    'a/b/c.rs': 'use crate::a::A;\npub struct C;',
  };
  assert.deepEqual(crate(files), []);
  files['a.rs'] += '\nfn uses(_: C) {}';
  assert.deepEqual(crate(files), [['a.rs', 'a/b/c.rs']]);
});

test('a file of the page is followed through re-exports, types included', () => {
  const files = {
    'index.ts': "export { a } from './a';\nexport * from './b';",
    'a.ts': "import type { B } from './index';\nexport const a = 1 as unknown as B;",
    'b.tsx': "export type B = number;",
  };
  assert.deepEqual(page(files), []);
  files['b.tsx'] += "\nimport { a as one } from '.';\none;";
  assert.deepEqual(page(files), [['a.ts', 'b.tsx']]);
});

test('a page that is loaded later is imported', () => {
  const files = { 'a.ts': "export const load = () => import('./b');", 'b.ts': "import { load } from './a';\nload();" };
  assert.deepEqual(page(files), [['a.ts', 'b.ts']]);
});

test('longer circles are found, and what only leads to one is in none', () => {
  const imports = (edges) => {
    const map = new Map();
    for (const [from, to] of edges.map((edge) => edge.split(''))) {
      map.set(from, (map.get(from) ?? new Map()).set(to, 1));
    }
    return map;
  };
  assert.deepEqual(circlesOf(imports(['ab', 'bc', 'ca', 'xa', 'cy', 'yz'])).circles, [['a', 'b', 'c']]);
  assert.deepEqual(circlesOf(imports(['ab', 'bc', 'ac'])).circles, []);
});

test('the list may only get shorter', () => {
  const { edges } = circlesOf(new Map([['a', new Map([['b', 3]])], ['b', new Map([['a', 7]])]]));
  assert.deepEqual(compare(edges, ['a -> b', 'b -> a']), { added: [], gone: [] });
  assert.deepEqual(compare(edges, ['a -> b']), { added: ['b -> a'], gone: [] });
  assert.deepEqual(compare(edges, ['a -> b', 'b -> a', 'c -> d']), { added: [], gone: ['c -> d'] });
  assert.deepEqual(linesOf('# why\n\n a -> b \n'), ['a -> b']);
});
