// The bank import: its tool's declaration and output.

import type { JsonValue, ToolRow } from '../ipc';

const column = { type: ['string', 'null'], 'x-choices-from': 'header' };

export const importTool: ToolRow = {
  wire_name: 'budget__import_transactions',
  name: 'budget.import_transactions',
  skill: 'budget',
  effect: 'write',
  description: 'Imports a bank file.',
  state: 'available',
  reason: null,
  input_schema: {
    type: 'object',
    required: ['path'],
    properties: {
      path: { type: 'string' },
      account: { type: ['string', 'null'] },
      dry_run: { type: ['boolean', 'null'] },
      mapping: {
        anyOf: [
          {
            type: 'object',
            properties: {
              date: column,
              amount: column,
              payee: column,
              memo: column,
              date_format: { type: ['string', 'null'] },
              decimal: { type: ['string', 'null'] },
            },
          },
          { type: 'null' },
        ],
      },
    },
  },
};

export const proposedMapping = { date: 'Buchungstag', amount: 'Betrag', payee: '3', date_format: 'DD.MM.YYYY' };

/** The proposal for a file before anything is imported; the sign is an open question. */
export const proposedImport: JsonValue = {
  needs_confirmation: true,
  imported: 0,
  rows: 7,
  header: ['Buchungstag', 'Betrag', 'Text', 'Text'],
  mapping: proposedMapping,
  questions: [{ about: 'decimal', question: 'Which sign separates the cents?', choices: [',', '.'] }],
  preview: [],
};

export const previewedImport: JsonValue = {
  dry_run: true,
  summary: '4 to import, 2 already there, 1 without a category',
  rows: 7,
  imported: 4,
  header: ['Buchungstag', 'Betrag', 'Text', 'Text'],
  mapping: { ...proposedMapping, decimal: ',' },
  preview: [{ date: '2026-11-20', kind: 'expense', amount: '84.20', currency: 'EUR', payee: 'Corner Market', category: 'groceries' }],
};

export const importDone: JsonValue = { dry_run: false, summary: '4 imported, 2 already there, 1 without a category', imported: 4, rows: 7 };

/** The output for a file with possible duplicates. */
export const alikeImport: JsonValue = {
  ...(proposedImport as { [key: string]: JsonValue }),
  questions: [],
  alike: 60,
  looks_like: [
    { date: '2026-11-02', amount: '1180.00', currency: 'EUR', payee: 'Linden', looks_like: 'Rent', on: '2026-11-01', comes_again: true, path: 'Budget/Expenses/2026/Rent.md' },
    { date: '2026-11-20', amount: '3.00', currency: 'EUR', payee: null, looks_like: 'Coffee', on: '2026-11-18', comes_again: false, path: 'Budget/Expenses/2026/Coffee.md' },
  ],
  preview: [{ date: '2026-11-02', payee: 'Linden', looks_like: 'Budget/Expenses/2026/Rent.md' }],
};
