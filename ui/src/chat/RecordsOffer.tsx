// Proposes record types for a newly chosen vault: people, deals or expenses that no skill reads yet.

import { useEffect, useState } from 'react';

import { nothing, useBackend, type FieldProposal } from '../ipc';
import { Button, Icon, IconButton, skillIcon } from '../shared';
import { useActions, useApp, useRpc } from '../state/hooks';

/** One line per skill with a proposal, linking to the page where it is reviewed and applied. */
export function RecordsOffer() {
  const offers = useApp(({ offersRecords }) => offersRecords);
  const hidden = useApp(({ hiddenProposals }) => hiddenProposals);
  const { hideProposal, show } = useActions();
  const proposals = useProposals(offers).filter((proposal) => hidden[proposal.skill] !== summaryOf(proposal));
  if (proposals.length === 0) return null;
  return (
    <section aria-label="Found in your notes" data-testid="records-offer" className="mt-4 rounded-card border border-line px-3 py-2.5">
      <h3 className="text-ui font-medium">Found in your notes</h3>
      <p className="text-small text-fg-2">Nova can use these notes as they are. No note is changed.</p>
      <ul className="mt-1.5 flex flex-col gap-1">
        {proposals.map((proposal) => (
          <li key={proposal.skill} className="flex min-h-7 items-center gap-2 text-small">
            <Icon name={skillIcon(proposal.skill)} size={14} className="text-fg-2" />
            <span className="selectable cut min-w-0 flex-1" data-tip={summaryOf(proposal)}>
              {summaryOf(proposal)}
            </span>
            <Button
              size="s"
              aria-label={`Review: ${summaryOf(proposal)}`}
              onClick={() => show({ kind: 'settings', page: 'skills', skill: proposal.skill, records: proposal.types[0]?.record_type ?? '' })}
            >
              Review
            </Button>
            <IconButton icon="x" iconSize={12} label={`Hide: ${summaryOf(proposal)}`} className="size-6" onClick={() => hideProposal(proposal.skill, summaryOf(proposal))} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function summaryOf({ types }: FieldProposal): string {
  return types.map(({ summary }) => summary).join('; ');
}

/** Proposals in the order of the skills. A skill whose proposal fails is omitted. */
function useProposals(offers: boolean): readonly FieldProposal[] {
  const backend = useBackend();
  const registry = useApp(({ revisions }) => revisions.registry);
  const types = useRpc('list_record_types', offers ? nothing : null, registry).data;
  const [found, setFound] = useState<readonly FieldProposal[]>([]);
  useEffect(() => {
    if (!offers || types === null) return;
    let current = true;
    const skills = [...new Set(types.map(({ skill }) => skill))];
    void Promise.allSettled(skills.map((skill) => backend.rpc('propose_fields', { skill }))).then((answers) => {
      const proposals = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      if (current) setFound(proposals.filter((proposal) => proposal.types.length > 0));
    });
    return () => {
      current = false;
    };
  }, [backend, offers, types]);
  return offers ? found : [];
}
