import type { ReactNode } from 'react';

import type { JsonValue } from '../../ipc';
import { useApp } from '../../state/hooks';
import { Button } from '../Button';
import { count, dateText } from '../format';
import { SchemaForm, usePlanForm } from '../form';
import { keyText } from '../platform';
import { Revealed } from '../Revealed';
import { ValueView } from '../Value';
import { NoteLink } from '../NoteLink';
import type { Proposal, Twin } from './proposal';

interface ConfirmationProps {
  readonly proposal: Proposal;
  /** The confirming action: "Import". */
  readonly action: string;
  readonly busy: boolean;
  /** Runs with the confirmed arguments; `look` only previews. */
  readonly onRun: (args: JsonValue, look: boolean) => void;
  /** Shown beside the buttons, with errors below them. */
  readonly actions?: ReactNode;
  readonly below?: ReactNode;
}

/**
 * A tool's preview and questions, with the confirmation. Set a `key` per proposal, as each has its own form.
 */
export function Confirmation({ proposal, action, busy, onRun, actions, below }: ConfirmationProps) {
  const today = useApp((app) => app.status?.today ?? '');
  const form = usePlanForm(proposal.plan, proposal.initial);
  const { preview, open, fixed } = proposal;
  const nothing = proposal.count === 0;
  const run = (look: boolean) => {
    const agreed = form.submit();
    if (agreed === null || busy || (nothing && !look)) return;
    onRun({ ...fixed, ...(agreed as { [key: string]: JsonValue }), ...(look ? { dry_run: true } : {}) }, look);
  };
  return (
    <div data-testid="confirmation" className="flex flex-col gap-3">
      <p role="status" className="text-small text-fg-2">
        {proposal.summary !== '' && <Revealed text={`${proposal.summary}. `} />}
        {open > 0
          ? `Nothing is written yet. ${open === 1 ? 'One question is' : `${open} questions are`} open; answer below.`
          : nothing
            ? 'Nothing to write.'
            : 'Nothing is written yet. Check it, and correct it below.'}
      </p>
      {preview.length > 0 && (
        <section aria-label="Preview" data-testid="preview" className="overflow-hidden rounded-card border border-line">
          <ValueView value={preview} label="Preview" dense />
          {proposal.count !== null && proposal.count > preview.length && (
            <p className="border-t border-line px-3 py-1 text-small text-fg-3">The first {preview.length} of {count(proposal.count)}.</p>
          )}
        </section>
      )}
      <Twins proposal={proposal} />
      <SchemaForm form={form} label={`Options for ${action}`} today={today} disabled={busy} onSubmit={() => run(false)}>
        {/* Visible however long the form is. */}
        <div className="sticky bottom-0 z-10 -mx-4 mt-4 border-t border-line bg-surface-side px-4 py-3">
          <div className="flex flex-wrap items-center gap-2">
            <Button
              type="submit"
              variant="primary"
              className="h-8"
              keys={keyText('Ctrl ↵')}
              disabled={busy || nothing || form.shown.length > 0}
              data-testid="confirm-proposal"
            >
              {/* Existing entries may be skipped now, so the count is unknown. */}
              {proposal.count === null || nothing || (proposal.alike > 0 && form.changed) ? action : `${action} ${count(proposal.count)}`}
            </Button>
            {proposal.canLook && (open > 0 || form.changed) && (
              <Button className="h-8" disabled={busy} onClick={() => run(true)} data-testid="look-again">
                Preview
              </Button>
            )}
            {actions}
          </div>
          {below}
        </div>
      </SchemaForm>
    </div>
  );
}

/** Possible duplicates of existing entries, each with a link, since users have to see them to decide. */
function Twins({ proposal: { twins, alike } }: { proposal: Proposal }) {
  if (twins.length === 0) return null;
  return (
    <section aria-label="Possible duplicates" data-testid="twins" className="rounded-card border border-line bg-warn-soft text-small">
      <h3 className="px-3 pt-2 font-medium">
        {alike === 1 ? '1 may be a duplicate' : `${count(alike)} may be duplicates`}
        {alike === 1 && twins[0] && <Revealed text={`: ${[twins[0].name, onDay(twins[0])].filter(Boolean).join(', ')}`} />}
      </h3>
      <ul tabIndex={0} aria-label="Each with its possible duplicate" className="flex max-h-56 flex-col gap-1 overflow-y-auto px-3 py-2">
        {twins.map((twin, at) => (
          <li key={at}>
            <span className="selectable tabular">
              <Revealed text={twin.text} />
            </span>
            <span className="text-fg-2">: may be </span>
            <NoteLink note={twin.path}>
              <Revealed text={twin.name} />
            </NoteLink>
            {twin.on !== '' && <span className="tabular text-fg-2">, <Revealed text={onDay(twin)} /></span>}
            {twin.comesAgain && <span className="text-fg-2">, repeats</span>}
          </li>
        ))}
      </ul>
      {alike > twins.length && <p className="border-t border-line px-3 py-1 text-fg-2">The first {twins.length} of {count(alike)}.</p>}
    </section>
  );
}

/** "13 Nov"; an invalid date is unchanged. */
function onDay({ on }: Twin): string {
  const date = new Date(`${on}T12:00:00`);
  return Number.isNaN(date.getTime()) ? on : dateText(date);
}
