// The right column: the data sent elsewhere with the choices on the left.

import { Badge, Icon, providerName, type IconName, type Tone } from '../shared';
import type { ModelOffer, NotesChoice } from './choices';

interface Row {
  readonly icon: IconName;
  readonly what: string;
  readonly answer: string;
  readonly tone: Tone;
  readonly note: string;
}

export function WhatLeaves({ notes, model }: { notes: NotesChoice; model: ModelOffer | null }) {
  const remote = model !== null && !model.local;
  const rows: Row[] = [
    {
      icon: 'note',
      what: 'Your notes',
      ...(remote
        ? {
            answer: 'sent as needed',
            tone: 'warn' as const,
            note: `Notes read for an answer go to ${model.host}. The others stay here.`,
          }
        : {
            answer: 'stay here',
            tone: 'ok' as const,
            note:
              notes.kind === 'sample'
                ? 'The sample is copied once. Nothing is uploaded.'
                : 'Read where they are. Nothing is copied or uploaded.',
          }),
    },
    { icon: 'list', what: 'Your messages', ...messages(model) },
    {
      icon: 'globe',
      what: 'Quotes, mail, calendar, web',
      answer: 'asks first',
      tone: 'warn',
      note: 'Only when a skill that needs them runs. The card shows what is sent, and to whom.',
    },
    {
      icon: 'key',
      what: 'Keys and passwords',
      answer: 'keychain',
      tone: 'ok',
      note: 'Or Nova’s encrypted file. Never shown to a model, never in a log or a note.',
    },
    { icon: 'chart', what: 'Usage data', answer: 'none', tone: 'ok', note: 'No account, no telemetry.' },
  ];
  return (
    <aside
      aria-label="What leaves this machine"
      className="w-110 shrink-0 border-l border-line bg-surface-side px-8 pt-20 pb-8 max-medium:w-75 max-medium:px-5 max-medium:pt-7 short:pt-7"
    >
      <h2 className="text-figure font-semibold">What leaves this machine</h2>
      <p className="mt-0.5 text-ui text-fg-2">With the choices on the left.</p>
      <ul className="mt-4 border-b border-line" aria-live="polite">
        {rows.map(({ icon, what, answer, tone, note }) => (
          <li key={what} className="border-t border-line py-3 max-medium:py-1.5" data-leaves={what}>
            <p className="flex items-start gap-2.5">
              <Icon name={icon} className="mt-0.5 text-fg-2" />
              <span className="flex-1 text-ui font-medium">{what}</span>
              <Badge tone={tone} {...(tone === 'ok' ? { icon: 'check' as const } : {})}>
                {answer}
              </Badge>
            </p>
            <p
              className={`pl-6.5 text-small text-fg-2 ${tone === 'warn' && what !== 'Quotes, mail, calendar, web' ? '' : 'max-medium:hidden'}`}
            >
              {note}
            </p>
          </li>
        ))}
      </ul>
      <div className="mt-7 rounded-card border border-line bg-surface-raised p-3.5 max-medium:hidden">
        <h3 className="flex items-center gap-2 text-ui font-medium">
          <Icon name="undo" size={14} className="text-accent" />
          Every change to a note can be undone
        </h3>
        <p className="mt-1 text-small text-fg-2">
          Nova asks before the first change in a chat, changes only the property you asked for, and keeps what was there
          before. If you edit the same note in Obsidian, your edit wins or you are asked.
        </p>
      </div>
    </aside>
  );
}

function messages(model: ModelOffer | null): Pick<Row, 'answer' | 'tone' | 'note'> {
  if (model === null)
    return {
      answer: 'stay here',
      tone: 'ok',
      note: 'Without a model there are no answers. With a cloud model, messages and the notes it reads go to that provider.',
    };
  if (model.local)
    return {
      answer: 'stay here',
      tone: 'ok',
      note: `Answered by ${providerName(model.provider)} at ${model.host}. With a cloud model, your messages and the notes it reads go to that provider.`,
    };
  return {
    answer: `go to ${model.through === null ? providerName(model.provider) : model.host}`,
    tone: 'warn',
    note:
      model.through === null
        ? `Answered by ${model.name} at ${model.host}. Nova asks once before the first message is sent.`
        : `${providerName(model.provider)} at ${model.through} passes them on to ${model.name} at ${model.host}. Nova asks once before the first message is sent.`,
  };
}
