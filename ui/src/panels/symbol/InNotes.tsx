import type { ReactNode } from 'react';

import { clockTime, Icon, LinkButton, noteName } from '../../shared';
import { moneyText, numberText, percentText } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { revealed } from '../../shared/invisible';
import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { useClock } from '../../shared/useClock';
import { Asking } from '../skill/Region';
import { Failure } from './Block';
import { useSymbol } from './context';
import { tradeParts, wholeDay } from './words';

/** Maximum lines of other notes. */
const MENTIONS = 12;
/** How long a load counts as just now, ms. */
const FRESH = 60_000;

/** The user's notes about the symbol. */
export function InNotes() {
  const { notes, roomy, symbol } = useSymbol();
  return (
    <aside aria-label="In your notes" className={roomy ? 'flex w-78 shrink-0 flex-col overflow-y-auto border-l border-line bg-surface-side text-small' : 'flex min-h-0 flex-1 flex-col overflow-y-auto text-small'} data-scroll="">
      <h2 className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line px-4 text-ui font-semibold">
        In your notes <span className="font-normal text-fg-3">{notes.count > 0 && notes.count}</span>
        <span className="ml-auto text-meta font-normal text-fg-3">{notes.at !== null && <ReadAt at={notes.at} />}</span>
      </h2>
      {notes.troubled.map((read) => (
        <div key={`${read.tool} ${JSON.stringify(read.args)}`} className="px-4 pt-2 empty:hidden">
          {read.run !== null ? <Asking run={read.run} /> : <Failure read={read} onAgain={notes.again} />}
        </div>
      ))}
      <Position />
      <Trades />
      <Watchlist />
      <Mentions />
      {notes.at !== null && notes.count === 0 && notes.watched === null && (
        <p className="px-4 py-3 text-fg-2">
          No note is about <Revealed text={symbol ?? ''} />.
        </p>
      )}
    </aside>
  );
}

function ReadAt({ at }: { at: string }) {
  const now = useClock(true);
  return now - Date.parse(at) < FRESH ? 'read just now' : `read ${clockTime(at)}`;
}

function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className="border-b border-line px-4 py-3 last:border-b-0">
      {children}
    </section>
  );
}

function Head({ title, count, children }: { title: string; count?: number; children?: ReactNode }) {
  return (
    <h3 className="flex items-baseline gap-2 pb-1 font-semibold">
      {title} <span className="font-normal text-fg-3">{count}</span>
      <span className="ml-auto">{children}</span>
    </h3>
  );
}

function Position() {
  const { notes, symbol, quote } = useSymbol();
  const { holding } = notes;
  if (holding === null) return null;
  const { path, quantity, averageCost, value, gain, gainPercent, share } = holding;
  const facts: readonly (readonly [string, string | null, string?])[] = [
    ['Quantity', quantity && numberText(quantity)],
    ['Average cost', averageCost && numberText(averageCost)],
    [quote?.isClose === true ? 'Value at last close' : 'Value', value && moneyText({ amount: value, currency: holding.currency })],
    ['Gain', gain && [moneyText({ amount: gain, currency: holding.currency }, true), gainPercent && percentText(gainPercent, true)].filter(Boolean).join(', '), { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' }[signOf(gain ?? '')]],
    ['Share of portfolio', share && percentText(share)],
  ];
  return (
    <Section label="Position">
      <p className="flex items-center gap-1.5 pb-1">
        <Icon name="note" size={14} className="text-fg-2" />
        {path === null ? (
          <Revealed text={symbol ?? ''} />
        ) : (
          <NoteLink note={path}>
            <Revealed text={noteName(path).name} />
          </NoteLink>
        )}
        <span className="cut text-fg-3">{path === null ? 'by your trades' : noteName(path).folder}</span>
      </p>
      <dl className="selectable grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5">
        {facts.map(([label, text, tone = '']) => (
          <div key={label} className="contents">
            <dt className="text-fg-2">{label}</dt>
            <dd className={`tabular text-right ${text ? tone : 'text-fg-3'}`}>{text || 'unknown'}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Trades() {
  const { notes, has, act, symbol, today, quote } = useSymbol();
  const adds = has('portfolio.add_trade');
  if (!adds && notes.trades.length === 0) return null;
  const currency = notes.holding?.currency ?? quote?.currency ?? '';
  const add = () => act(`Add trade`, 'portfolio.add_trade', { symbol: symbol ?? '', date: today, ...(currency === '' ? {} : { currency }) }, true);
  return (
    <Section label="Trades">
      <Head title="Trades" {...(notes.trades.length > 0 ? { count: notes.trades.length } : {})}>
        {adds && <LinkButton onClick={add}>Add trade</LinkButton>}
      </Head>
      {notes.trades.length === 0 && <p className="text-fg-2">None.</p>}
      <ul>
        {notes.trades.map((trade) => {
          const { word, rest } = tradeParts(trade);
          return (
            <li key={trade.path} className="flex gap-2 py-0.5">
              <span className="cut">
                <NoteLink note={trade.path} className="font-normal">
                  <Revealed text={word} />
                </NoteLink>
                <span className="text-fg-2">
                  <Revealed text={rest} />
                </span>
              </span>
              <span className="ml-auto shrink-0 tabular-nums">{wholeDay(trade.day)}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Watchlist() {
  const { notes, has, act, symbol } = useSymbol();
  const { watchlist, watched } = notes;
  if (watchlist === null) return null;
  const other = watchlist[0];
  const target = ({ target: price, currency }: { target: string | null; currency: string }) => (price === null ? 'no target' : `target ${[numberText(price), currency].filter(Boolean).join(' ')}`);
  return (
    <Section label="Watchlist">
      <Head title="Watchlist">
        {has('portfolio.watch') && (
          <LinkButton onClick={() => act(`Watch ${revealed(symbol ?? '')}`, 'portfolio.watch', { symbol: watched?.symbol ?? symbol ?? '' }, true)}>{watched === null ? 'Watch with target' : 'Change target'}</LinkButton>
        )}
      </Head>
      <p className="text-fg-2">
        {watched === null ? 'Not on your list. ' : 'On your '}
        {(watched ?? other) && (
          <NoteLink note={(watched ?? other)?.path ?? ''} className="font-normal">
            {watched === null ? 'Watchlist' : 'list'}
          </NoteLink>
        )}
        {watched !== null && `, ${target(watched)}.`}
        {watched === null && other && (
          <>
            {' has '}
            <Revealed text={other.symbol} />, {target(other)}
            {watchlist.length > 1 && `, and ${watchlist.length - 1} more`}.
          </>
        )}
      </p>
    </Section>
  );
}

function Mentions() {
  const { notes } = useSymbol();
  if (notes.mentions.length === 0) return null;
  const left = notes.mentions.length - MENTIONS;
  return (
    <Section label="Mentioned in">
      <Head title="Mentioned in" count={notes.mentions.length} />
      <ul>
        {notes.mentions.slice(0, MENTIONS).map(({ path, line, text }) => (
          <li key={`${path} ${line}`} className="py-1">
            <p className="flex items-baseline gap-2">
              <NoteLink note={path} className="cut">
                <Revealed text={noteName(path).name} />
              </NoteLink>
              {line !== null && <span className="ml-auto shrink-0 text-fg-3">line {line}</span>}
            </p>
            <p className="selectable cut text-fg-2">
              “<Revealed text={text} />”
            </p>
          </li>
        ))}
      </ul>
      {left > 0 && <p className="text-fg-3">{left} more in the note’s links.</p>}
    </Section>
  );
}
