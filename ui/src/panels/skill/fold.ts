// A table beside the chat has room for two columns: what names a row and its amount. The rest stands below the name.

import type { PanelColumn } from '../../ipc';
import { isFigureFormat } from './words';

export interface Folded {
  readonly columns: readonly PanelColumn[];
  readonly below: readonly PanelColumn[];
}

/** The first column of words names the row. */
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
