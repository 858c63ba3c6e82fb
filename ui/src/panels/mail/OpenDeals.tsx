import { NoteLink } from '../../shared/NoteLink';
import { Revealed } from '../../shared/Revealed';
import { amountsOf, moneyText } from '../../shared/amount';
import type { Contact } from '../calendar/attendees';
import { useHasTool } from '../calendar/useHasTool';
import { isRow, textOf, type Row } from '../skill/answer';
import { useReads } from '../skill/useReads';
import { dateText } from '../skill/words';
import { useMail } from './context';

/** Number of deals listed. */
const LISTED = 3;

const TOOL = 'crm.list_deals';

/** Deals with a contact that are neither won nor lost, by close date. */
export function OpenDeals({ contact }: { contact: Contact }) {
  const { today } = useMail();
  const known = useHasTool(TOOL, true);
  const asked = { tool: TOOL, args: { contact: contact.name, stage: 'open' } };
  const value = useReads(known ? [asked] : []).of(asked)?.result?.value;
  const deals = isRow(value) && Array.isArray(value['deals']) ? value['deals'].filter(isRow) : [];
  if (deals.length === 0) return null;
  return (
    <section aria-label="Open deals" className="border-b border-line px-4 py-3">
      <h3 className="pb-1.5 font-semibold">{deals.length === 1 ? 'Open deal' : 'Open deals'}</h3>
      <ul className="flex flex-col gap-1.5">
        {deals.slice(0, LISTED).map((deal) => (
          <Deal key={textOf(deal['path'])} deal={deal} today={today} />
        ))}
      </ul>
      {deals.length > LISTED && <p className="pt-1 text-fg-3">{deals.length - LISTED} more</p>}
    </section>
  );
}

function Deal({ deal, today }: { deal: Row; today: string }) {
  const [stage, close] = [textOf(deal['stage']), textOf(deal['close_date'])];
  const late = deal['late'] === true;
  const when = close === '' ? '' : late ? `close date passed on ${dateText(close, today)}` : `closes ${dateText(close, today)}`;
  const value = amountsOf(deal['value'], textOf(deal['currency'])).map((amount) => moneyText(amount));
  return (
    <li>
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 break-words">
          <NoteLink note={textOf(deal['path'])}>
            <Revealed text={textOf(deal['title'])} />
          </NoteLink>
        </span>
        <span className="selectable shrink-0 font-medium tabular-nums">{value.join(', ')}</span>
      </p>
      <p className={`selectable ${late ? 'text-warn' : 'text-fg-2'}`}>
        <Revealed text={[stage, when].filter((part) => part !== '').join(', ')} />
      </p>
    </li>
  );
}
