// The rules that make a note a record: a folder, a tag, a type, a condition.

import { useState, type Dispatch, type FormEvent } from 'react';

import type { JsonValue, RulePreview } from '../../ipc';
import { Button, Coded, IconButton, noteName, TextField } from '../../shared';
import { ConfidenceBadge } from './ConfidenceBadge';
import { faultsAt, isUsed, type Draft, type DraftEvent } from './draft';
import { Faults, HeadRow, Section } from './Section';
import { Select } from '../../shared/Select';

interface RulesProps {
  readonly draft: Draft;
  readonly say: Dispatch<DraftEvent>;
}

const columns = [
  { label: 'Used', className: 'w-13', hidden: true },
  { label: 'Rule', className: 'w-72 max-medium:w-52' },
  { label: 'Notes', className: 'w-14 text-right' },
  { label: 'Examples', className: 'w-44 pl-4 max-medium:w-32' },
  { label: 'Confidence', className: 'pl-3' },
];

export function Rules({ draft, say }: RulesProps) {
  const { page } = draft;
  if (page === null) return null;
  const name = page.label.toLowerCase();
  // Faults of a single rule are shown in its row.
  const faults = (page.faults ?? []).filter(({ key }) => key === 'match').flatMap(() => faultsAt(draft, 'match'));
  return (
    <Section title={`A note is a ${name}`.replace(/ a ([aeiou])/, ' an $1')} note="if any of these holds">
      <table aria-label={`Rules for ${name}`} className="w-full table-fixed text-small">
        <HeadRow columns={columns} />
        <tbody>
          {page.rules.map((rule, at) => (
            <Rule key={JSON.stringify(rule.entry)} rule={rule} first={at === 0} used={isUsed(draft, rule)} say={say} />
          ))}
        </tbody>
      </table>
      {page.rules.length === 0 && <p className="px-5 py-1.5 text-small text-fg-3">No note looks like a {name}.</p>}
      <Faults reasons={faults} />
      <AddRule say={say} />
    </Section>
  );
}

function Rule({ rule, first, used, say }: { rule: RulePreview; first: boolean; used: boolean; say: Dispatch<DraftEvent> }) {
  const { words, notes, more, examples, confidence, reason, fault } = rule;
  const entry = rule.entry as JsonValue;
  return (
    <>
      <tr className={`h-7.5 border-t border-line ${used ? '' : 'text-fg-2'}`}>
        <td className="pl-5">
          <input
            type="checkbox"
            checked={used}
            aria-label={words}
            onChange={(event) => say({ type: 'rule_switched', entry, on: event.target.checked })}
            className="size-4 align-middle accent-accent-fill"
          />
        </td>
        <td className="selectable cut" data-tip={words}>
          <span className="text-fg-2">{kindWords(entry)}</span> <span className="font-mono">{bareWords(entry, words)}</span>
        </td>
        <td className="tabular text-right">{notes}</td>
        <td className="selectable cut pl-4 text-fg-2">{first ? examples.map((path) => noteName(path).name).join(', ') : `${more} more than above`}</td>
        <td className="pl-3 pr-5">
          {fault === null ? (
            <ConfidenceBadge confidence={confidence}>{reason}</ConfidenceBadge>
          ) : (
            <span className="flex items-center gap-2 text-danger">
              cannot be read
              <IconButton icon="x" iconSize={12} label={`Remove ${words}`} className="-my-1 size-6" onClick={() => say({ type: 'rule_removed', entry })} />
            </span>
          )}
        </td>
      </tr>
      {fault !== null && (
        <tr>
          <td />
          <td colSpan={4} role="alert" className="selectable pb-1.5 text-danger">
            <Coded text={fault} />
          </td>
        </tr>
      )}
    </>
  );
}

const kinds = { where: 'where', folder: 'in folder', tag: 'with tag', type: 'of type' } as const;
type Kind = keyof typeof kinds;

function kindWords(entry: JsonValue): string {
  const kind = Object.keys(kinds).find((key) => typeof entry === 'object' && entry !== null && key in entry) as Kind | undefined;
  return kind === undefined ? '' : kinds[kind];
}

/** `in People/` without its kind is `People/`. */
function bareWords(entry: JsonValue, words: string): string {
  return kindWords(entry) === '' ? words : words.replace(/^(in |type: )/, '');
}

const examples: Record<Kind, string> = { where: 'categories contains [[People]]', folder: 'People', tag: 'person', type: 'person' };

function AddRule({ say }: { say: Dispatch<DraftEvent> }) {
  const [kind, setKind] = useState<Kind | null>(null);
  const [text, setText] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (kind === null || text.trim() === '') return;
    say({ type: 'rule_added', entry: { [kind]: text.trim() } });
    setKind(null);
    setText('');
  };
  if (kind === null)
    return (
      <div className="px-11 py-1">
        <Button size="s" variant="quiet" icon="plus" data-testid="add-rule" onClick={() => setKind('where')}>
          Add rule
        </Button>
      </div>
    );
  return (
    <form onSubmit={add} className="flex items-center gap-2 px-5 py-1.5" aria-label="New rule">
      <Select label="Kind of rule" value={kind} onChange={(value) => setKind(value as Kind)} className="w-24">
        {Object.entries(kinds).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </Select>
      <TextField aria-label="Rule" autoFocus placeholder={examples[kind]} value={text} onChange={(event) => setText(event.target.value)} className="h-7 w-72" />
      <Button type="submit" size="s" disabled={text.trim() === ''}>
        Add
      </Button>
      <Button size="s" variant="quiet" onClick={() => setKind(null)}>
        Cancel
      </Button>
    </form>
  );
}
