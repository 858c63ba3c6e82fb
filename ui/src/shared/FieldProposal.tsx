import { useState } from 'react';

import { useBackend, type FieldProposal as Proposal, type JsonValue, type TypeProposal, type UnreadableField } from '../ipc';
import { useActions, useApp, useRpc } from '../state/hooks';
import { ErrorBox } from './Banner';
import { Button, IconButton, LinkButton } from './Button';
import { counted, noteName } from './format';
import { Icon } from './Icon';
import { ProposedRules } from './ProposedRules';
import { useAttempt } from './useAttempt';

/**
 * Notes that could be a skill's records under other names, with one click to use them. Renders nothing
 * without a proposal. Confirming changes the configuration and no note.
 */
export function FieldProposal({ skill, hideable = false }: { skill: string; /** Beside other content, where it may be in the way. */ hideable?: boolean }) {
  const backend = useBackend();
  const { hideProposal, show } = useActions();
  const hidden = useApp(({ hiddenProposals }) => hiddenProposals[skill]);
  const registry = useApp(({ revisions }) => revisions.registry);
  const read = useRpc('propose_fields', { skill }, registry);
  const [shown, setShown] = useState(false);
  /** The previous settings, while the proposal is applied. */
  const [used, setUsed] = useState<{ summary: string; before: JsonValue } | null>(null);
  const { busy, problem, attempt } = useAttempt();

  const use = (proposal: Proposal) =>
    attempt(async () => {
      const { own_config } = await backend.rpc('skill_detail', { skill });
      await backend.rpc('set_skill', { skill, config: proposal.config });
      setUsed({ summary: summaryOf(proposal.types), before: own_config });
      setShown(false);
      read.reload();
    });
  const takeBack = (before: JsonValue) =>
    attempt(async () => {
      await backend.rpc('set_skill', { skill, config: before });
      setUsed(null);
      read.reload();
    });

  const proposal = read.data;
  if (used === null && (proposal === null || proposal.types.length === 0)) return null;
  if (used === null && hideable && proposal !== null && hidden === summaryOf(proposal.types)) return null;
  return (
    <section
      aria-label="Other field names"
      data-testid="field-proposal"
      className="flex flex-col gap-2 rounded-card bg-accent-soft px-3 py-2 text-left text-small"
    >
      {used !== null ? (
        <div role="status" className="flex items-center gap-2">
          <Icon name="check" size={14} className="text-ok" />
          <span className="flex-1">In use: {used.summary}. No note was changed.</span>
          <LinkButton disabled={busy} onClick={() => void takeBack(used.before)}>
            Take back
          </LinkButton>
        </div>
      ) : (
        proposal && (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <Icon name="note" size={14} className="text-accent" />
              <span className="min-w-40 flex-1">{summaryOf(proposal.types)}.</span>
              <LinkButton aria-expanded={shown} onClick={() => setShown(!shown)}>
                {shown ? 'Hide names' : 'Show names'}
              </LinkButton>
              <LinkButton onClick={() => show({ kind: 'settings', page: 'skills', skill, records: proposal.types[0]?.record_type ?? '' })} data-testid="change-fields">
                Change…
              </LinkButton>
              <Button size="s" disabled={busy} onClick={() => void use(proposal)} data-testid="use-fields">
                Use them
              </Button>
              {hideable && (
                <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5" onClick={() => hideProposal(skill, summaryOf(proposal.types))} />
              )}
            </div>
            {proposal.types.flatMap(({ record_type, notes, unreadable }) =>
              unreadable.map((lacking) => (
                <p key={`${record_type} ${lacking.field}`} className="flex gap-1.5 text-warn">
                  <Icon name="warn" size={14} className="mt-px" />
                  <span className="selectable">{lackingText(record_type, notes, lacking)}</span>
                </p>
              )),
            )}
            {shown && proposal.types.map((found) => <Names key={found.record_type} found={found} />)}
          </>
        )
      )}
      {problem && <ErrorBox error={problem} />}
    </section>
  );
}

function Names({ found }: { found: TypeProposal }) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="selectable text-fg-2">
        {found.summary}: {found.examples.map((path) => noteName(path).name).join(', ')}
        {found.notes > found.examples.length && ` and ${found.notes - found.examples.length} more`}
      </p>
      <ProposedRules found={found} />
      {found.fields.length > 0 && (
        <table className="w-full">
          <thead className="sr-only">
            <tr>
              <th>Field</th>
              <th>Property in the notes</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {found.fields.map(({ field, label, property, notes, because, examples }) => (
              <tr key={field} className="align-baseline">
                <td className="pr-3 whitespace-nowrap">{label}</td>
                <td className="pr-3 font-mono whitespace-nowrap">{property}</td>
                <td className="selectable text-fg-2">
                  {because}; {counted(notes, 'note')}, such as {examples.join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** "40 of 42 expense notes have no amount that can be read, such as “1.234,50”: they stay unreadable until …" */
function lackingText(record: string, notes: number, { label, notes: lacking, needs, example }: UnreadableField): string {
  const which = lacking === notes ? (notes === 1 ? 'The note has' : `All ${notes} notes have`) : `${lacking} of ${notes} notes have`;
  const instead = example == null ? '' : ` (one says “${example}”)`;
  return `${which} no ${label.toLowerCase()} Nova can read${instead}. ${titled(record)} needs ${needs}.`;
}

function titled(name: string): string {
  return `${/^[aeiou]/.test(name) ? 'An' : 'A'} ${name}`;
}

function summaryOf(types: readonly TypeProposal[]): string {
  return types.map(({ summary }) => summary).join('; ');
}
