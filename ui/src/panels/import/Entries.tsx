// All entries as they will be written.

import { useState, type KeyboardEvent } from 'react';

import { Button, count, Icon, LinkButton, Segments, TextField, useMedia } from '../../shared';
import { moneyText, numberText } from '../../shared/amount';
import { listKeys } from '../../shared/list-keys';
import { latinKey } from '../../state/latin-key';
import { NamePicker } from './NamePicker';
import type { Entry, Review } from './review';
import { categoryOf, type ImportEvent, type ImportState } from './state';
import { dayOf } from './words';

/** Rows shown at first, and added by a click. */
const FIRST = 8;
const MORE = 200;

type Kind = 'all' | 'none' | 'transfer' | 'twin';

interface EntriesProps {
  readonly state: ImportState;
  readonly review: Review;
  readonly say: (event: ImportEvent) => void;
}

export function Entries({ state, review, say }: EntriesProps) {
  const [kind, setKind] = useState<Kind>('all');
  const [filter, setFilter] = useState('');
  const [most, setMost] = useState(FIRST);
  const roomy = useMedia('(min-width: 1100px)');
  const { decided } = state;
  const of = (one: Kind) => review.entries.filter((entry) => isOf(entry, one, decided));
  const found = of(kind).filter((entry) => has(entry, filter.trim().toLowerCase()));
  const shown = found.slice(0, most);
  const units = [...new Set(review.entries.map(({ currency }) => currency))];
  const unit = units.length === 1 ? (units[0] ?? '') : null;
  const option = (value: Kind, label: string) => ({ value, label: `${label} ${count(value === 'all' ? review.total : of(value).length)}` });
  return (
    <section aria-label="Entries" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2.5">
        <Segments
          label="Which entries"
          value={kind}
          onChange={setKind}
          options={[option('all', 'All'), option('none', 'No category'), option('transfer', 'Transfer'), option('twin', 'Duplicate')]}
        />
        <span className="flex-1 text-right text-small text-fg-2">{roomy && review.byRule > 0 && `${review.byRule} have a category by rule`}</span>
        <TextField icon="search" frame="line" type="search" aria-label="Filter entries" placeholder="Filter" className="w-35" value={filter} onChange={(event) => setFilter(event.target.value)} />
      </div>
      <div className="rounded-card border border-line">
        <table aria-label="Entries to import" aria-rowcount={found.length + 1} className="w-full border-collapse text-small">
          <thead>
            <tr className="h-8 text-left text-fg-2">
              <Head>Date</Head>
              <Head>Payee</Head>
              {roomy && <Head>Memo</Head>}
              <Head>Category</Head>
              <Head right>{unit === null ? 'Amount' : `Amount, ${unit}`}</Head>
            </tr>
          </thead>
          <tbody data-list onKeyDown={rowKeys}>
            {shown.map((entry) => (
              <EntryRow key={entry.line} entry={entry} state={state} review={review} roomy={roomy} unit={unit} say={say} />
            ))}
          </tbody>
        </table>
        <div className="flex min-h-8 items-center justify-between gap-3 border-t border-line px-3 text-small">
          {found.length > shown.length ? (
            <LinkButton onClick={() => setMost(most + MORE)}>Show {count(Math.min(found.length - shown.length, MORE))} more</LinkButton>
          ) : (
            <span className="text-fg-2">{found.length === 0 ? 'No entry matches.' : ''}</span>
          )}
          <span className="tabular text-fg-2">{sumsText(review)}</span>
        </div>
      </div>
    </section>
  );
}

function Head({ children, right = false }: { children: string; right?: boolean }) {
  return (
    <th scope="col" className={`px-2 font-normal first:pl-3 last:pr-3 ${right ? 'text-right' : ''}`}>
      {children}
    </th>
  );
}

function EntryRow({ entry, state, review, roomy, unit, say }: EntriesProps & { entry: Entry; roomy: boolean; unit: string | null }) {
  const decision = state.decided[entry.line];
  const out = decision?.import === false;
  const open = entry.twin !== null && decision?.import === undefined;
  const isTransfer = entry.kind === 'transfer';
  const signed = isTransfer ? numberText(entry.amount) : numberText(entry.kind === 'income' ? entry.amount : `-${entry.amount}`, true);
  return (
    <tr data-list-item tabIndex={-1} data-line={entry.line} className={`h-[31px] border-t border-line ${open ? 'bg-warn-soft' : 'hover:bg-hover'} ${out ? 'text-fg-3 line-through' : ''}`}>
      <td className="px-2 whitespace-nowrap text-fg-2 first:pl-3">{dayOf(entry.date)}</td>
      <td className="px-2">
        <span className="flex items-center gap-2">
          {isTransfer ? (
            <span className="flex items-center gap-1.5 font-medium">
              <Icon name="swap" size={12} className="text-fg-2" />
              {entry.from} <Icon name="arrow-right" size={12} className="text-fg-2" /> {entry.to}
            </span>
          ) : (
            <span className="selectable font-medium">{entry.payee || 'no payee'}</span>
          )}
          {open && <Mark>may be a duplicate</Mark>}
          {entry.mayBeTransfer && <span className="text-fg-2">may be a transfer</span>}
          {out && <span className="sr-only">left out</span>}
        </span>
      </td>
      {roomy && <td className="selectable cut max-w-40 px-2 text-fg-2">{isTransfer ? 'joined with your entry' : entry.memo}</td>}
      <td className="px-2 whitespace-nowrap">{isTransfer ? <span className="text-fg-2">transfer</span> : <Category entry={entry} state={state} review={review} say={say} />}</td>
      <td className={`tabular px-2 text-right whitespace-nowrap last:pr-3 ${isTransfer ? 'text-fg-2' : 'font-medium'}`}>
        {signed}
        {unit === null && ` ${entry.currency}`}
      </td>
    </tr>
  );
}

function Mark({ children }: { children: string }) {
  return (
    <span className="flex items-center gap-1 whitespace-nowrap text-warn">
      <Icon name="warn" size={12} />
      {children}
    </span>
  );
}

function Category({ entry, state, review, say }: EntriesProps & { entry: Entry }) {
  const decision = state.decided[entry.line];
  const category = categoryOf(entry, state.decided);
  const by = decision?.category !== undefined ? null : entry.categoryFrom === 'rule' ? 'by rule' : entry.categoryFrom === 'file' ? 'from the file' : null;
  return (
    <span className="flex items-center gap-2">
      <NamePicker
        look="chip"
        label="Category"
        of={entry.payee}
        value={category}
        names={review.categories}
        empty="Choose"
        onChoose={(name) => say({ type: 'decided', lines: [entry.line], decision: { category: name } })}
      />
      {by !== null && <span className="text-meta text-fg-2">{by}</span>}
      {decision?.category !== undefined && entry.payee !== '' && (
        <Button
          size="s"
          variant="quiet"
          aria-pressed={decision.rule === true}
          {...(decision.rule === true ? { icon: 'check' } : {})}
          onClick={() => say({ type: 'decided', lines: [entry.line], decision: { rule: decision.rule !== true } })}
        >
          Also as a rule
        </Button>
      )}
    </span>
  );
}

/** C opens the category of the focused row; J and K move. */
function rowKeys(event: KeyboardEvent<HTMLElement>): void {
  if (latinKey(event) === 'c' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const row = (event.target as Element).closest('[data-list-item]');
    const picker = row?.querySelector<HTMLElement>('[data-picker=category]');
    if (picker && event.target instanceof Element && event.target.closest('input') === null) {
      event.preventDefault();
      picker.click();
      return;
    }
  }
  listKeys(event);
}

function isOf(entry: Entry, kind: Kind, decided: ImportState['decided']): boolean {
  switch (kind) {
    case 'all':
      return true;
    case 'none':
      return entry.kind !== 'transfer' && categoryOf(entry, decided) === null;
    case 'transfer':
      return entry.kind === 'transfer';
    case 'twin':
      return entry.twin !== null;
  }
}

function has(entry: Entry, sought: string): boolean {
  return [entry.payee, entry.memo, entry.category ?? '', entry.amount, entry.from, entry.to].some((text) => text.toLowerCase().includes(sought));
}

/** "income €2,400.00, spent €236.20, transfer €150.00" */
function sumsText({ sums }: Review): string {
  const words: Readonly<Record<string, string>> = { income: 'income', expense: 'spent', transfer: 'transfer' };
  return ['income', 'expense', 'transfer']
    .flatMap((kind) => sums.filter((sum) => sum.kind === kind).map((sum) => `${words[kind]} ${moneyText(sum)}`))
    .join(', ');
}
