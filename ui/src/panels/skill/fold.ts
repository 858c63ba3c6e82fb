// Beside the chat a table has room for two columns: a row's name and its amount. The rest is shown below the
// name.

import type { PanelColumn } from '../../ipc';
import { isFigureFormat } from './words';

export interface Folded {
  readonly columns: readonly PanelColumn[];
  readonly below: readonly PanelColumn[];
}

/** The first text column names the row. */
export function titleColumn(columns: readonly PanelColumn[]): number {
  return Math.max(columns.findIndex(({ format }) => format === 'text'), 0);
}

/** The name and the last amount as columns, the others below the name. */
export function fold(columns: readonly PanelColumn[]): Folded {
  const title = columns[titleColumn(columns)];
  const others = columns.filter((column) => column !== title);
  const amount = others.findLast(({ format }) => format === 'money' || format === 'signed') ?? others.findLast(({ format }) => isFigureFormat(format));
  return {
    columns: [title, amount].filter((column) => column !== undefined),
    below: others.filter((column) => column !== amount),
  };
}
