// A bank's or a broker's file on its way into the notes: what was recognised, what is open, every entry, then one click.

import { useEffect, useRef, useState, type KeyboardEvent } from 'react';

import type { GivenFileView } from '../../ipc';
import { Icon, IconButton, Sheet, useMedia } from '../../shared';
import { focusIsLost } from '../../shared/focus';
import { Columns } from './Columns';
import { Entries } from './Entries';
import { FileBox } from './FileBox';
import { Footer } from './Footer';
import { NamePicker } from './NamePicker';
import { QuestionBox } from './QuestionBox';
import { hasAnswers, openQuestions, primaryOf } from './state';
import { Trades } from './Trades';
import { useImport, type Imported } from './useImport';
import { useWindowDrop } from './useWindowDrop';

interface ImportSheetProps {
  /** `skill.tool` */
  readonly tool: string;
  /** The initial file. */
  readonly dropped: File | GivenFileView | null;
  readonly onDone: (imported: Imported) => void;
  readonly onClose: () => void;
}

export function ImportSheet({ tool, dropped, onDone, onClose }: ImportSheetProps) {
  const importing = useImport(tool, dropped, onDone);
  const { state, say } = importing;
  const { review } = state;
  const roomy = useMedia('(min-width: 1100px)');
  const [leaving, setLeaving] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const over = useWindowDrop(importing.drop);
  const [question] = openQuestions(state);
  const primary = primaryOf(state);

  const focusQuestion = () => body.current?.querySelector<HTMLElement>('[data-answer]')?.focus();
  // Focuses the next question, and after the last answer the button.
  const asked = question === undefined ? null : keyOf(question);
  useEffect(() => {
    if (asked !== null) focusQuestion();
    else if (review !== null && focusIsLost()) frame.current?.querySelector<HTMLElement>('[data-testid=import-primary]')?.focus();
  }, [asked, review, primary.kind]);

  const act = () => {
    if (primary.kind === 'answer') focusQuestion();
    if (primary.kind === 'import') importing.run();
    if (primary.kind === 'close') onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      act();
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const answers = body.current?.querySelectorAll<HTMLElement>('[data-answer]') ?? [];
    const answer = /^[1-9]$/.test(event.key) ? answers[Number(event.key) - 1] : undefined;
    answer?.click();
  };
  const close = () => (hasAnswers(state) && !leaving ? setLeaving(true) : onClose());

  return (
    <Sheet
      side="right"
      width={roomy ? 824 : 4000}
      label={importing.words.title}
      scrim
      onClose={close}
    >
      <div ref={frame} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none" data-testid="import-sheet" onKeyDown={onKeyDown}>
        <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2.5 pl-5">
          <Icon name="import" />
          <h2 className="text-body font-semibold">{importing.words.title}</h2>
          {review?.of === 'payments' && (
            <span className="flex items-center gap-1 text-small text-fg-2">
              into
              <NamePicker
                label="Account"
                value={review.account}
                names={review.accounts}
                empty="no account"
                onChoose={(value) => say({ type: 'answered', about: 'account', value })}
              />
            </span>
          )}
          <span className="flex-1" />
          <IconButton icon="x" label="Close" keys="Esc" onClick={close} />
        </header>
        <div ref={body} className={`min-h-0 flex-1 overflow-y-auto ${over ? 'bg-accent-soft' : ''}`}>
          <div className="flex flex-col gap-3 p-5">
            <FileBox importing={importing} />
            {question && <QuestionBox key={keyOf(question)} state={state} question={question} same={importing.words.same} say={say} />}
            {review?.of === 'payments' && review.entries.length > 0 && <Entries state={state} review={review} say={say} />}
            {review?.of === 'trades' && review.entries.length > 0 && <Trades state={state} review={review} say={say} />}
            {review !== null && review.columns.length > 0 && <Columns state={state} review={review} say={say} />}
          </div>
        </div>
        <Footer importing={importing} primary={primary} leaving={leaving} onAct={act} onStay={() => setLeaving(false)} onClose={onClose} onCancel={close} />
      </div>
    </Sheet>
  );
}

function keyOf(question: ReturnType<typeof openQuestions>[number]): string {
  return question.kind === 'twin' ? `line ${question.entry.line}` : question.question.about;
}

function isField(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}
