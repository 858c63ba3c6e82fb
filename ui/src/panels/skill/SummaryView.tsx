import type { SourceView, SummaryItem, SummaryPart } from '../../ipc';
import { clockTime, counted, Icon, iconOf, noteName } from '../../shared';
import { amountsOf } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { FigureChip, type Figure } from '../../shared/figures';
import { useClock } from '../../shared/useClock';
import { at, textOf } from './answer';
import { usePanel } from './context';
import { Region, type Shown } from './Region';
import type { Read } from './state';
import { valueText, wordsText } from './words';

/** Figures in a row, each with its sources, and the time of the load. */
export function SummaryView({ part }: { part: SummaryPart }) {
  const panel = usePanel();
  const read = panel.read(panel.asked(part));
  const hasLine = part.items.some(({ line }) => line);
  return (
    <section aria-label="Summary" className="shrink-0 border-b border-line">
      <Region read={read} lines={2}>
        {(shown) => (
          <div className={`flex flex-wrap items-end gap-x-9 gap-y-2 px-5 py-3 ${panel.wide ? 'min-h-17' : 'gap-x-6 px-3.5'}`}>
            {hasLine && <span aria-hidden="true" className="order-last -mt-2 h-0 basis-full" />}
            {part.items.map((item, place) => (
              <Item key={place} item={item} shown={shown} />
            ))}
            <span className={panel.wide ? `order-last ml-auto ${hasLine ? '' : 'max-medium:hidden'}` : 'order-last basis-full'}>
              <ReadLine read={shown.read} />
            </span>
          </div>
        )}
      </Region>
    </section>
  );
}

function Item({ item, shown: { value, figures } }: { item: SummaryItem; shown: Shown }) {
  const { today } = usePanel();
  const found = at(value, item.at);
  const unit = item.unit === null ? '' : textOf(at(value, item.unit));
  const money = ['money', 'gain', 'signed'].includes(item.format);
  const amounts = money && Array.isArray(found) ? amountsOf(found, unit) : null;
  const detail = item.detail === null ? undefined : at(value, item.detail);
  if (item.optional && (found === undefined || found === null)) return null;
  const icon = iconOf(item.icon);
  const late = typeof detail === 'string' && /overdue|late|over/.test(detail);
  return (
    <div role="group" aria-label={item.label} className={item.line ? 'order-last flex items-center gap-x-1.5' : ''}>
      {item.line && icon ? <Icon name={icon} size={14} className="text-fg-2" /> : <div className="text-small text-fg-2">{item.label}</div>}
      <div className={`flex items-center gap-x-1.5 ${item.line ? 'text-small' : ''}`}>
        {amounts === null ? (
          <Amount figure={figures.get(item.at)} text={valueText(found, item.format, unit, today)} tone={toneOf(item, textOf(found))} small={item.line} />
        ) : (
          amounts.map((amount, place) => (
            <Amount
              key={place}
              figure={figures.get(`${item.at}/${place}/amount`)}
              text={valueText([{ ...amount }], item.format, unit, today)}
              tone={toneOf(item, amount.amount)}
              small={item.line}
            />
          ))
        )}
        {amounts?.length === 0 && <Amount text="none" tone="" />}
        {textOf(detail) !== '' && <span className={`text-small ${late ? 'text-danger' : 'text-fg-2'}`}>{wordsText(textOf(detail))}</span>}
      </div>
    </div>
  );
}

function Amount({ figure, text, tone, small = false }: { figure?: Figure | undefined; text: string; tone: string; small?: boolean }) {
  const { openNote } = usePanel();
  return (
    <>
      <span className={`selectable tabular font-semibold whitespace-nowrap ${small ? 'text-small' : 'text-figure'} ${tone}`}>{text === '' ? 'unknown' : text}</span>
      {figure && <FigureChip figure={figure} onNote={openNote} />}
    </>
  );
}

function toneOf({ format }: SummaryItem, amount: string): string {
  if (format !== 'gain' && format !== 'change') return '';
  return { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' }[signOf(amount)];
}

/** "From 12 notes in CRM/Deals, read just now": for the same load as the figures. */
export function ReadLine({ read }: { read: Read }) {
  const now = useClock(read.at !== null);
  if (read.at === null) return null;
  const fresh = now - Date.parse(read.at) < 60_000;
  return (
    <span className="flex items-center gap-2 text-small text-fg-2">
      <Icon name="note" size={14} />
      {from(read.result?.sources ?? [])}
      {fresh ? 'read just now' : `read ${clockTime(read.at)}`}
    </span>
  );
}

function from(sources: readonly SourceView[]): string {
  const notes = sources.flatMap((source) => (source.kind === 'note' ? [source.path] : []));
  if (notes.length === 0) return '';
  const folders = [...new Set(notes.map((path) => noteName(path).folder))];
  const [only = ''] = folders;
  return `From ${counted(notes.length, 'note')}${folders.length === 1 && only !== '' ? ` in ${only}` : ''}, `;
}
