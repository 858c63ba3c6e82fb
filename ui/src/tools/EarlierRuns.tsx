// Earlier runs of the form: one line each, with a link back to it.

import { clockTime, Icon, LinkButton } from '../shared';
import { labelOf } from '../shared/form';
import { Revealed } from '../shared/Revealed';
import { headlineOf, plainText } from './result-shape';
import type { Run } from './useRuns';

interface EarlierRunsProps {
  readonly runs: readonly Run[];
  readonly onOpen: (run: Run) => void;
  readonly onUndo: (run: Run) => void;
  readonly onAgain: (run: Run) => void;
}

export function EarlierRuns({ runs, onOpen, onUndo, onAgain }: EarlierRunsProps) {
  if (runs.length === 0) return null;
  return (
    <section
      aria-label="Earlier runs"
      className="max-h-44 shrink-0 overflow-y-auto border-t border-line px-4 py-2.5 short:hidden"
    >
      <h2 className="pb-1 text-meta font-semibold text-fg-2">Earlier runs</h2>
      <ul>
        {runs.map((run) => (
          <li key={run.id} className="flex h-6.5 items-center gap-2.5 text-small">
            <StateIcon run={run} />
            <button
              type="button"
              onClick={() => onOpen(run)}
              className="flex min-w-0 flex-1 items-baseline gap-2.5 rounded-badge text-left hover:underline"
            >
              <span className="shrink-0 font-mono">
                <Revealed text={run.tool} />
              </span>
              <span className="cut text-fg-2">
                <Revealed text={summaryOf(run)} />
              </span>
            </button>
            {run.result?.ok && run.result.change_set !== null && run.undoneAt === null && (
              <LinkButton onClick={() => onUndo(run)}>Undo</LinkButton>
            )}
            {run.result?.ok === false && <LinkButton onClick={() => onAgain(run)}>Try again</LinkButton>}
            <span className="tabular text-meta text-fg-3">{clockTime(run.at)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function StateIcon({ run }: { run: Run }) {
  if (run.result === null) return <Icon name="spinner" size={14} />;
  if (run.undoneAt !== null) return <Icon name="undo" size={14} className="text-fg-2" />;
  return run.result.ok ? (
    <Icon name="check" size={14} className="text-ok" />
  ) : (
    <Icon name="failed" size={14} className="text-danger" />
  );
}

function summaryOf(run: Run): string {
  if (run.result === null) return 'running';
  if (run.undoneAt !== null) return `undone at ${clockTime(run.undoneAt)}`;
  if (!run.result.ok) return run.result.error?.message ?? 'failed';
  const args = Object.entries(typeof run.args === 'object' && run.args !== null ? run.args : {})
    // An enabled switch is shown by its name.
    .map(([name, value]) => (typeof value === 'boolean' ? (value ? labelOf(name).toLowerCase() : '') : plainText(value)))
    .filter((said) => said !== '')
    .join(' ');
  return args === '' ? headlineOf(run.result.value ?? null) : args;
}
