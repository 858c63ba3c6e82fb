import { expect, test } from 'vitest';

import { panelsIn } from './own';

/** Allowed imports of a skill's own panel. */
const allowed = /^(\.\/|\.\.\/\.\.\/\.\.\/ui\/src\/(shared|ipc)(\/|$)|react$)/;

function foreignImports(source: string): string[] {
  const imports = [...source.matchAll(/(?:from\s*|import\s*\(?\s*)['"]([^'"]+)['"]/g)];
  return imports.flatMap(([, path = '']) => (allowed.test(path) ? [] : [path]));
}

test('the panel of a skill is found by its folder', () => {
  const load = () => Promise.reject(new Error('not loaded here'));
  const found = panelsIn({ '../../../../skills/screener/ui/index.tsx': load, '../../../../skills/screener/ui/rows.tsx': load });
  expect(Object.keys(found)).toEqual(['screener']);
});

test.each([
  ["import { Button } from '../../../ui/src/shared';", []],
  ["import type { ToolResult } from '../../../ui/src/ipc';", []],
  ["import { useState } from 'react';", []],
  ["import { rows } from './rows';", []],
  ["import { createStore } from '../../../ui/src/state/store';", ['../../../ui/src/state/store']],
  ["import { invoke } from '@tauri-apps/api/core';", ['@tauri-apps/api/core']],
  ["const x = await import('../../crm/ui/index');", ['../../crm/ui/index']],
])('%s has foreign imports %j', (source, foreign) => {
  expect(foreignImports(source)).toEqual(foreign);
});

test('skill panels import only shared parts and the IPC layer', () => {
  const files = import.meta.glob<string>('../../../../skills/*/ui/**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true });
  expect(Object.entries(files).flatMap(([file, source]) => foreignImports(source).map((path) => `${file}: ${path}`))).toEqual([]);
});
