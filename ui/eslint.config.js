import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Folders of one subject each. They meet in shared/, ipc/ and state/, and App.tsx puts them side by side. */
const domains = ['shell', 'chat', 'panels', 'list', 'settings', 'tools', 'records', 'firstrun'];

/** Imports of one domain by another that are meant. */
const allowed = {
  // A form run asks with the same card as a chat.
  tools: ['**/chat/ApprovalCard'],
  records: ['**/chat/ApprovalCard'],
  // So does a call from a panel.
  panels: ['**/chat/ApprovalCard'],
};

const tauri = {
  group: ['@tauri-apps/*'],
  message: 'Only src/ipc/tauri.ts knows Tauri. Use the Backend of src/ipc.',
};

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/ipc/protocol.generated.ts'] },
  tseslint.configs.strict,
  reactHooks.configs.flat.recommended,
  {
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [tauri] }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
    },
  },
  ...domains.map((domain) => ({
    files: [`src/${domain}/**`],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            tauri,
            {
              group: [
                ...domains.filter((other) => other !== domain).map((other) => `../**/${other}/**`),
                ...(allowed[domain] ?? []).map((path) => `!${path}`),
              ],
              message: 'Domain folders do not import each other. Move what both need to shared/ or state/.',
            },
          ],
        },
      ],
    },
  })),
  {
    files: ['src/shared/**', 'src/ipc/**', 'src/state/**'],
    ignores: ['src/ipc/tauri.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            tauri,
            {
              group: domains.map((domain) => `../**/${domain}/**`),
              message: 'shared/, ipc/ and state/ know nothing of the screens built on them.',
            },
          ],
        },
      ],
    },
  },
  { files: ['src/**'], rules: { 'max-lines-per-function': ['error', 120] } },
  {
    files: ['src/**/*.test.{ts,tsx}'],
    rules: {
      // A test that finds nothing where it looks fails there, which is what it is for.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // The tests of a subject stand in one function.
      'max-lines-per-function': 'off',
    },
  },
  { files: ['src/ipc/tauri.ts'], rules: { '@typescript-eslint/no-restricted-imports': 'off' } },
);
