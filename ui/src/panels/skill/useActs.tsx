// The user's actions in a panel: calls, tool forms, record forms, the import.

import { useState, type ReactNode } from 'react';

import { useBackend, type JsonValue, type PanelAction } from '../../ipc';
import { isProposal } from '../../shared/confirm';
import { useEditNote } from '../../state/editNote';
import { useActions } from '../../state/hooks';
import { fieldOf, fill, isRow, namesIn, pathOf, textOf, type Row, type Scope } from './answer';
import type { Outcome, PanelContext } from './context';
import type { ShownTab } from './layout';
import { ToolSheet, type ToolToFill } from './ToolSheet';
import { useCalls, type PanelCall, type PanelCalls } from './useCalls';

interface Panel {
  readonly skill: string;
  readonly today: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly tabs: readonly ShownTab[];
  /** The full name of one of the skill's tools. */
  nameOf(tool: string): string;
  again(): void;
  openImport(): void;
}

export interface Acts {
  readonly act: PanelContext['act'];
  call(label: string, tool: string, args: Readonly<Record<string, JsonValue>>): Promise<Outcome>;
  /** The calls shown in the bars below the panel. */
  readonly calls: PanelCalls;
  /** The call that a form over the panel shows instead. */
  readonly elsewhere: string | null;
  /** Reopens the form of a call. */
  edit(call: PanelCall): void;
  readonly sheet: ReactNode;
}

export function useActs(panel: Panel): Acts {
  const { skill, today, inputs, tabs, nameOf } = panel;
  const backend = useBackend();
  const { openRecordForm } = useActions();
  const editNote = useEditNote();
  const calls = useCalls();
  const forms = useForms(calls, panel.again);

  const call = async (label: string, tool: string, args: Readonly<Record<string, JsonValue>>): Promise<Outcome> => {
    const run = `panel-${crypto.randomUUID()}`;
    const result = await calls.call(label, tool, args, run);
    panel.again();
    if (result.ok && isProposal(result.value)) {
      calls.dismiss({ id: run });
      forms.open({ title: label, tool, args, proposed: result.value });
      return { kind: 'asked' };
    }
    return result.ok ? { kind: 'done' } : { kind: 'failed', reason: result.error?.message ?? `${tool} failed.` };
  };
  /** Loaded on demand, since notes may have changed it. */
  const usualCurrency = async (action: PanelAction, names: Scope): Promise<string> => {
    if (!namesIn(action.args).has('currency') || fill({ currency: '{currency}' }, names)['currency'] !== undefined) return '';
    const { currency } = await backend.rpc('usual_currency', { skill }).catch(() => ({ currency: null }));
    return currency ?? '';
  };
  const openRecord = (type: string, action: PanelAction, row?: Row) => {
    const path = row ? pathOf(row) : null;
    const values = path === null ? fill(action.args, [row, inputs]) : {};
    openRecordForm({ skill, type, path, ...(Object.keys(values).length > 0 ? { values } : {}) });
  };
  const act: PanelContext['act'] = async (action, row, column) => {
    if (action.edit) {
      const path = row ? pathOf(row) : null;
      if (path === null) return notANote;
      await editNote(path, action.field);
      return { kind: 'asked' };
    }
    if (action.delete) {
      const path = row ? pathOf(row) : null;
      return path === null ? notANote : call(labelOf(action, row, column, tabs), 'vault.delete_note', { path });
    }
    if (action.import) {
      panel.openImport();
      return { kind: 'asked' };
    }
    if (action.record !== null) {
      openRecord(action.record, action, row);
      return { kind: 'asked' };
    }
    if (action.tool === null) return { kind: 'failed', reason: 'This button has no tool.' };
    const tool = nameOf(action.tool);
    const names = [column === undefined ? null : { column }, row, inputs];
    const currency = await usualCurrency(action, names);
    const args = fill(action.args, [...names, { today, currency }]);
    if (action.ask) {
      forms.open({ title: action.label, tool, args });
      return { kind: 'asked' };
    }
    return call(labelOf(action, row, column, tabs), tool, args);
  };
  return { act, call, calls, elsewhere: forms.running, edit: forms.edit, sheet: forms.sheet };
}

const notANote: Outcome = { kind: 'failed', reason: 'This row is not a note.' };

/** The tool form over the panel, at most one. */
function useForms(calls: PanelCalls, again: () => void) {
  /** With a number as its key, so that a new form starts fresh. */
  const [form, setForm] = useState<(ToolToFill & { number: number }) | null>(null);
  /** The run that it waits for. */
  const [inForm, setInForm] = useState<string | null>(null);
  const open = (next: ToolToFill) => {
    setInForm(null);
    setForm((old) => ({ ...next, number: (old?.number ?? 0) + 1 }));
  };
  const run = async (args: JsonValue, id: string) => {
    setInForm(id);
    const result = await calls.call(form?.title ?? '', form?.tool ?? '', isRow(args) ? args : {}, id);
    again();
    return result;
  };
  /** Repeats a call with edits, keeping the entered values. */
  const edit = (old: PanelCall) => {
    calls.dismiss(old);
    const proposed = old.result?.ok && isProposal(old.result.value) ? { proposed: old.result.value } : {};
    open({ title: old.label, tool: old.tool, args: old.args, ...proposed });
  };
  const sheet = form && (
    <ToolSheet
      key={form.number}
      fill={form}
      running={calls.calls.find(({ id, result }) => id === inForm && result === null) ?? null}
      onRun={run}
      onStop={calls.stop}
      onTold={(id) => calls.dismiss({ id })}
      onClose={() => setForm(null)}
    />
  );
  return { open, edit, sheet, running: form === null ? null : inForm };
}

/** "Move Pinecrest second clinic to won" for a drop, "Log contact: Jane Doe" for a row. */
function labelOf(action: PanelAction, row: Row | undefined, column: string | undefined, tabs: readonly ShownTab[]): string {
  const title = row ? titleOfRow(row, tabs) : '';
  const label = action.label || 'Move';
  if (column !== undefined) return `${label} ${title} to ${column}`;
  return title === '' ? label : `${label}: ${title}`;
}

function titleOfRow(row: Row, tabs: readonly ShownTab[]): string {
  const fields = tabs.flatMap(({ tab }) =>
    tab.parts.flatMap((part) => (part.kind === 'board' || part.kind === 'list' ? [part.title] : part.kind === 'table' ? [part.columns[0]?.field ?? ''] : [])),
  );
  for (const field of fields) {
    const text = textOf(fieldOf(row, field));
    if (text !== '') return text;
  }
  return '';
}
