// Loads the review of the import sheet, and imports.

import { useCallback, useEffect, useReducer, useState } from 'react';

import { useBackend, userError, type GivenFileView, type ToolResult, type UserError } from '../../ipc';
import { useActions } from '../../state/hooks';
import { failed } from '../skill/useReads';
import { BANK_FILES, fileWords, type FileWords } from './action';
import { give } from './given';
import { readReview } from './review';
import { argsOf, countsOf, firstImport, hasAnswers, importArgsOf, reduceImport, type Counts, type ImportState } from './state';

export interface Imported {
  readonly result: ToolResult;
  readonly counts: Counts;
}

export interface Importing {
  readonly words: FileWords;
  readonly state: ImportState;
  /** A file dropped while another one has answers. */
  readonly waiting: File | null;
  readonly say: (event: Parameters<typeof reduceImport>[1]) => void;
  choose(): void;
  drop(file: File): void;
  /** Takes or discards the waiting file. */
  settle(take: boolean): void;
  stop(): void;
  run(): void;
}

/** `tool` reviews and imports; `dropped` is the sheet's initial file. */
export function useImport(tool: string, dropped: File | GivenFileView | null, onDone: (imported: Imported) => void): Importing {
  const backend = useBackend();
  const words = fileWords(tool);
  const { watch, unwatch } = useActions();
  const [state, say] = useReducer(reduceImport, firstImport);
  const take = useCallback((file: Promise<GivenFileView | null>) => {
    file.then(
      (given) => given !== null && say({ type: 'chosen', file: given }),
      (thrown: unknown) => say({ type: 'refused', run: null, error: userError(thrown) }),
    );
  }, []);
  const [waiting, setWaiting] = useState<File | null>(null);
  const call = async (run: string, args: Parameters<typeof backend.rpc<'call_tool'>>[1]['args']) => {
    watch(run);
    const result = await backend.rpc('call_tool', { tool, args, run }).catch(failed);
    unwatch(run);
    return result;
  };

  const args = argsOf(state);
  const key = args === null ? null : JSON.stringify(args);
  useEffect(() => {
    if (args === null) return;
    const run = `panel-${crypto.randomUUID()}`;
    say({ type: 'begun', run, kind: 'reading' });
    void call(run, { ...args, review: true }).then((result) => {
      const review = result.ok ? readReview(result.value) : null;
      if (review === null) say({ type: 'refused', run, error: result.error ?? silent(tool) });
      else say({ type: 'reviewed', run, review });
    });
  }, [key, tool]); // eslint-disable-line react-hooks/exhaustive-deps -- `key` stands for the arguments

  const drop = (file: File) => {
    if (state.run?.kind === 'importing' || hasAnswers(state)) setWaiting(file);
    else take(give(backend, file));
  };
  useEffect(() => {
    if (dropped !== null) take(dropped instanceof File ? give(backend, dropped) : Promise.resolve(dropped));
  }, [backend, dropped, take]);

  return {
    words,
    state,
    waiting,
    say,
    drop,
    choose: () => take(backend.rpc('choose_file', { title: words.choose, kind: 'CSV', endings: [...BANK_FILES] }).then(({ file }) => file)),
    settle: (takes) => {
      if (takes && waiting !== null) take(give(backend, waiting));
      setWaiting(null);
    },
    stop: () => {
      if (state.run !== null) backend.rpc('stop_tool', { run: state.run.id }).catch(() => undefined);
    },
    run: () => {
      const filled = importArgsOf(state);
      if (filled === null || state.run !== null) return;
      const run = `panel-${crypto.randomUUID()}`;
      const counts = countsOf(state);
      say({ type: 'begun', run, kind: 'importing' });
      void call(run, { ...filled }).then((result) => {
        if (result.ok) onDone({ result, counts });
        else say({ type: 'refused', run, error: nothingImported(result.error ?? silent(tool)) });
      });
    },
  };
}

function nothingImported(error: UserError): UserError {
  return { ...error, message: `Nothing was imported: ${error.message}` };
}

function silent(tool: string): UserError {
  return { code: 'tool_failed', message: `${tool} failed without a reason.`, hint: 'Try again.' };
}
