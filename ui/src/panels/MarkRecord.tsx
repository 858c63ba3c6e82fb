// Makes a note in a records folder a record in one click, by its own call with Undo.

import { useState } from 'react';

import { ApprovalCard } from '../chat/ApprovalCard';
import { useBackend, userError, type RecordMark, type UserError } from '../ipc';
import { Button, ErrorBox, Icon, LinkButton, noteName } from '../shared';
import { useAttempt } from '../shared/useAttempt';
import { useActions, useSession } from '../state/hooks';
import type { CallItem } from '../state/session';

/** The result, with the change set that undoes it. */
export interface Marked {
  readonly path: string;
  readonly mark: RecordMark;
  readonly change_set: string;
}

export function MarkRecord({ path, mark, onDone }: { path: string; mark: RecordMark; onDone: (done: Marked) => void }) {
  const backend = useBackend();
  const { watch, unwatch, loadProblems } = useActions();
  const [run] = useState(() => `mark-${crypto.randomUUID()}`);
  const [refused, setRefused] = useState<UserError | null>(null);
  const { busy, problem, attempt } = useAttempt();
  const set = () =>
    attempt(async () => {
      setRefused(null);
      watch(run);
      try {
        const { skill, record_type } = mark;
        const result = await backend.rpc('mark_record', { skill, record_type, path, run });
        if (!result.ok) return setRefused(result.error ?? userError(null));
        if (result.change_set !== null) onDone({ path, mark, change_set: result.change_set });
        await loadProblems();
      } finally {
        unwatch(run);
      }
    });
  return (
    <span className="mt-1 flex flex-col items-start gap-1.5">
      <Button size="s" disabled={busy} onClick={() => void set()} data-testid="mark-record" aria-label={`Set ${mark.mark} in ${noteName(path).name}`}>
        Set <span className="font-mono">{mark.mark}</span>
      </Button>
      {busy && <Waiting run={run} />}
      {(refused ?? problem) && <ErrorBox error={refused ?? problem ?? userError(null)} />}
    </span>
  );
}

/** A rule of the user's requires approval. */
function Waiting({ run }: { run: string }) {
  const session = useSession(run);
  const call = session.turns.flatMap(({ items }) => items).find((item): item is CallItem => item.kind === 'call');
  return call?.state === 'waiting' ? <ApprovalCard call={call} session={run} /> : null;
}

/** Reports the result, with Undo. */
export function MarkedRecord({ marked: { path, mark, change_set } }: { marked: Marked }) {
  const { undo, loadProblems } = useActions();
  const [undone, setUndone] = useState(false);
  const { busy, problem, attempt } = useAttempt();
  const takeBack = () =>
    attempt(async () => {
      const { conflicts } = await undo({ change_set });
      if (conflicts.length > 0) throw { code: 'conflict', message: 'The note was edited since.', hint: 'Changes shows both versions.' } satisfies UserError;
      setUndone(true);
      await loadProblems();
    });
  return (
    <>
      <p role="status" className="flex items-center gap-2 text-small">
        <Icon name={undone ? 'undo' : 'check'} size={14} className={undone ? 'text-fg-3' : 'text-ok'} />
        <span className="flex-1">{undone ? `${noteName(path).name} is as it was.` : `${noteName(path).name} counts as ${mark.record_type} now.`}</span>
        {!undone && (
          <LinkButton disabled={busy} onClick={() => void takeBack()} data-testid="undo-mark">
            Undo
          </LinkButton>
        )}
      </p>
      {problem && <ErrorBox error={problem} />}
    </>
  );
}
