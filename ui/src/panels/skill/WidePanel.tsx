import { useEffect, useState, type FormEvent } from 'react';

import { userError, type PanelView, type UserError } from '../../ipc';
import { Chip, ErrorBox, Icon, IconButton, Kbd, keyText, Sheet, skillIcon } from '../../shared';
import { draftOf } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';
import { NotePanel } from '../NotePanel';
import { SkillPanel } from './SkillPanel';

/** A skill's panel in the place of the conversation, with the composer docked below it. */
export function WidePanel({ panel }: { panel: PanelView }) {
  const peek = useApp((app) => app.panel.peek);
  const { setPanel } = useActions();
  return (
    <>
      <div className="min-h-0 flex-1">
        <SkillPanel key={panel.skill} panel={panel} wide />
      </div>
      <AskBar panel={panel} />
      {peek && (
        <Sheet side="right" width={360} label="Note" onClose={() => setPanel({ peek: false })}>
          <div className="flex h-12 shrink-0 items-center justify-between border-b border-line pr-2.5 pl-3.5">
            <h2 className="text-body font-semibold">Note</h2>
            <IconButton icon="x" label="Close" keys="Esc" onClick={() => setPanel({ peek: false })} />
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto">
            <NotePanel />
          </div>
        </Sheet>
      )}
    </>
  );
}

/** Asks in the open chat with the skill at hand; the answer is in the conversation, so it comes back. */
function AskBar({ panel }: { panel: PanelView }) {
  const kept = useApp(draftOf).text;
  const { sendDraft, setDraft, setPanel } = useActions();
  const [text, setText] = useState(kept);
  const [problem, setProblem] = useState<UserError | null>(null);
  const empty = text.trim() === '';
  // What is written goes on in the conversation when the panel goes back beside it.
  useEffect(() => setDraft({ text }, true), [text, setDraft]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (empty) return;
    setProblem(null);
    setDraft({ skills: [panel.skill] });
    try {
      await sendDraft(text.trim());
      setPanel({ wide: false });
    } catch (thrown) {
      setProblem(userError(thrown));
    }
  };
  return (
    <form data-region="composer" tabIndex={-1} aria-label="Message" onSubmit={(event) => void send(event)} className="shrink-0 border-t border-line px-5 py-2.5">
      {problem && (
        <div className="pb-2">
          <ErrorBox error={problem} />
        </div>
      )}
      <div className="flex h-9 items-center gap-2.5 rounded-message border border-line-strong bg-surface-raised pr-1.5 pl-3 focus-within:border-line-control">
        <Chip tone="tool" icon={skillIcon(panel.skill, '', panel.icon)}>
          {panel.name}
        </Chip>
        <input
          data-testid="composer-input"
          aria-label={`Ask ${panel.name}`}
          placeholder="Ask about what is shown, or change it in words"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="selectable h-full min-w-0 flex-1 bg-transparent text-ui outline-none"
        />
        {empty && <Kbd>{keyText('Ctrl L')}</Kbd>}
        <button
          type="submit"
          aria-label="Send"
          data-testid="send"
          disabled={empty}
          className="flex size-6.5 items-center justify-center rounded-control bg-accent-fill text-on-accent hover:bg-accent-hover disabled:opacity-45"
        >
          <Icon name="arrow-up" size={14} />
        </button>
      </div>
    </form>
  );
}
