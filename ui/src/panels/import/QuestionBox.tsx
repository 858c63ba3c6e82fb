// One question at a time, without a default.

import type { ReactNode } from 'react';

import { Button, counted, Icon } from '../../shared';
import { numberText } from '../../shared/amount';
import { NoteLink } from '../../shared/NoteLink';
import type { Entry } from './review';
import { openQuestions, type Asked, type ImportEvent, type ImportState } from './state';
import { dayOf } from './words';

interface QuestionBoxProps {
  readonly state: ImportState;
  readonly question: Asked;
  /** Asks whether a line and an entry are one. */
  readonly same: string;
  readonly say: (event: ImportEvent) => void;
}

export function QuestionBox({ state, question, same, say }: QuestionBoxProps) {
  const open = openQuestions(state);
  const twins = open.filter(({ kind }) => kind === 'twin').length;
  const title = question.kind === 'twin' ? same : question.question.question;
  return (
    <section aria-label={title} data-testid="import-question" className="rounded-card border border-accent-line px-3.5 py-3 ring-2 ring-accent-soft">
      <div className="flex items-center gap-2">
        <Icon name="question" className="text-accent" />
        <h3 className="flex-1 font-semibold">{title}</h3>
        {open.length > 1 && <span className="text-small text-fg-2">1 of {open.length}</span>}
        {question.kind === 'twin' && (
          <span className="flex items-center gap-1.5 rounded-badge bg-warn-soft px-2 text-small text-warn">
            <Icon name="warn" size={12} />
            {counted(twins, 'possible duplicate')}
          </span>
        )}
      </div>
      {question.kind === 'twin' ? (
        <TwinQuestion entry={question.entry} say={say} />
      ) : (
        <Answers>
          {question.question.choices.map(({ value, label }, at) => (
            <Answer key={value} at={at} onClick={() => say({ type: 'answered', about: question.question.about, value })}>
              {label}
            </Answer>
          ))}
        </Answers>
      )}
    </section>
  );
}

function TwinQuestion({ entry, say }: { entry: Entry; say: QuestionBoxProps['say'] }) {
  const { twin } = entry;
  if (twin === null) return null;
  // A trade's amount has its own.
  const sign = entry.kind === 'income' || entry.trade !== null ? '' : '-';
  const apart = Math.abs(twin.days);
  const when = apart === 0 ? 'the same day' : `${counted(apart, 'day')} ${twin.days > 0 ? 'earlier' : 'later'}`;
  const about = [twin.memo, twin.repeats && `repeats ${twin.repeats}`].filter((one) => one !== null && one !== '').join(', ');
  const decide = (imports: boolean) => say({ type: 'decided', lines: [entry.line], decision: { import: imports } });
  return (
    <>
      <table aria-label={entry.trade === null ? 'Both payments' : 'Both trades'} className="mt-2.5 w-full rounded-control border border-line text-small">
        <tbody>
          <tr className="h-7.5">
            <th scope="row" className="px-2.5 text-left font-normal text-fg-2">
              In the file
            </th>
            <td className="px-2.5 text-fg-2">{dayOf(entry.date)}</td>
            <td className="w-full px-2.5">
              <span className="font-medium">{entry.trade === null ? entry.payee : `${entry.kind} ${entry.trade.quantity} ${entry.trade.symbol}`}</span> <span className="text-fg-2">{entry.memo}</span>
            </td>
            <td className="tabular px-2.5 text-right font-medium whitespace-nowrap">{numberText(`${sign}${entry.amount}`, true)}</td>
            <td className="px-2.5 whitespace-nowrap text-fg-2">line {entry.line}</td>
          </tr>
          <tr className="h-7.5 border-t border-line">
            <th scope="row" className="px-2.5 text-left font-normal whitespace-nowrap text-fg-2">
              In your notes
            </th>
            <td className="px-2.5 whitespace-nowrap text-fg-2">{dayOf(twin.date)}</td>
            <td className="px-2.5">
              <NoteLink note={twin.path}>{twin.payee}</NoteLink>{' '}
              <span className="text-fg-2">{about}</span>
            </td>
            <td className="tabular px-2.5 text-right font-medium whitespace-nowrap">{numberText(`${sign}${twin.amount}`, true)}</td>
            <td className="px-2.5 whitespace-nowrap text-fg-2">{when}</td>
          </tr>
        </tbody>
      </table>
      <Answers>
        <Answer at={0} onClick={() => decide(false)}>
          Same, leave it out
        </Answer>
        <Answer at={1} onClick={() => decide(true)}>
          Different, import both
        </Answer>
      </Answers>
    </>
  );
}

function Answers({ children }: { children: ReactNode }) {
  return <div className="mt-2.5 flex flex-wrap gap-2">{children}</div>;
}

function Answer({ at, onClick, children }: { at: number; onClick: () => void; children: ReactNode }) {
  return (
    <Button data-answer="" {...(at < 9 ? { keys: String(at + 1) } : {})} onClick={onClick}>
      {children}
    </Button>
  );
}
