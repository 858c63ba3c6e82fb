// @vitest-environment node
import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const eslint = new ESLint();

async function check(file: string, source: string): Promise<string[]> {
  const [result] = await eslint.lintText(source, { filePath: file });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId ?? '').filter((rule) => rule.endsWith('no-restricted-imports'));
}

test.each([
  ['src/chat/x.ts', "import { invoke } from '@tauri-apps/api/core'; invoke('rpc');"],
  ['src/App.tsx', "import { invoke } from '@tauri-apps/api/core'; invoke('rpc');"],
  ['src/chat/x.ts', "import { NotePanel } from '../panels/NotePanel'; NotePanel();"],
  ['src/settings/x.ts', "import { ApprovalCard } from '../chat/ApprovalCard'; ApprovalCard();"],
  ['src/shared/x.ts', "import { ChatList } from '../list/ChatList'; ChatList();"],
  ['src/state/x.ts', "import { invoke } from '@tauri-apps/api/core'; invoke('rpc');"],
])('%s may not: %s', async (file, source) => {
  expect(await check(file, source)).toHaveLength(1);
});

test.each([
  ['src/ipc/tauri.ts', "import { invoke } from '@tauri-apps/api/core'; invoke('rpc');"],
  ['src/chat/x.ts', "import { Button } from '../shared'; Button();"],
  ['src/shared/form/x.ts', "import { Button } from '../Button'; Button();"],
  ['src/tools/x.ts', "import { ApprovalCard } from '../chat/ApprovalCard'; ApprovalCard();"],
  ['src/App.tsx', "import { ChatList } from './list/ChatList'; ChatList();"],
])('%s may: %s', async (file, source) => {
  expect(await check(file, source)).toEqual([]);
});
