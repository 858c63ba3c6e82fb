#!/usr/bin/env node
/**
 * Fails where files import each other in a circle: a reader could hold none of them in the head alone.
 * What is allowed anyway is in `known`, one import per line: nothing now.
 *
 *   .ci/circles/check.mjs           compares with the list
 *   .ci/circles/check.mjs --list    prints each circle, the longest first
 *   .ci/circles/check.mjs --shrink  takes out of the list what is on no circle any more
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { circlesOf, compare, linesOf } from './graph.mjs';
import { rustImports } from './rust.mjs';
import { typescriptImports } from './typescript.mjs';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '../..'));
const known = '.ci/circles/known';

/** The crate roots: `src/lib.rs` and `src/main.rs` of each member, and what the manifest at the root names. */
function crateRoots() {
  const members = ['src-tauri/crates', 'skills'].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)).filter((path) => existsSync(join(path, 'Cargo.toml'))),
  );
  const named = [...readFileSync('Cargo.toml', 'utf8').matchAll(/^path = "(src-tauri\/.*\.rs)"$/gm)].map(([, path]) => path);
  return [...members.flatMap((path) => [join(path, 'src/lib.rs'), join(path, 'src/main.rs')]), ...named].filter((path) =>
    existsSync(path),
  );
}

function pageFiles(folder = 'ui/src') {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path))
    .sort();
}

const imports = new Map([...crateRoots().flatMap((root) => [...rustImports(root)]), ...typescriptImports(pageFiles(), 'ui')]);
const { circles, edges } = circlesOf(imports);
const allowed = linesOf(readFileSync(known, 'utf8'));
const { added, gone } = compare(edges, allowed);

if (process.argv.includes('--list')) {
  for (const files of circles) {
    console.log(`${files.length} files`);
    for (const file of files) {
      const targets = [...imports.get(file).keys()].filter((target) => files.includes(target));
      console.log(`  ${file} -> ${targets.join(' ')}`);
    }
  }
} else if (process.argv.includes('--shrink')) {
  const comment = readFileSync(known, 'utf8').split('\n').filter((line) => line.startsWith('#'));
  writeFileSync(known, [...comment, ...allowed.filter((edge) => edges.has(edge)), ''].join('\n'));
} else {
  for (const edge of added) {
    const [from, to] = edge.split(' -> ');
    console.error(`${from}:${edges.get(edge)} imports ${to}, which leads back to it. Move what both need into a file below them.`);
  }
  for (const edge of gone) console.error(`${edge} is on no circle any more. Run .ci/circles/check.mjs --shrink`);
  if (added.length + gone.length > 0) process.exit(1);
}
