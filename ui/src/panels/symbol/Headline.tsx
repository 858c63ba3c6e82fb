import type { ReactNode } from 'react';

import { Badge } from '../../shared';
import { moneyText, numberText, percentText } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { FigureChip, figuresOf, type Figure } from '../../shared/figures';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { ageText } from '../skill/words';
import { useSymbol } from './context';
import { whenText } from './words';

const tones = { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' };

/** The main figures in a row, each with its source. */
export function Headline() {
  const { quote, shownRead, quoteRead, today, roomy, wide, notes } = useSymbol();
  if (!quote) return null;
  const { price, currency, at, source, isClose, stale, dayChange, yearChange, yearHigh, yearLow, closesSource } = quote;
  const result = shownRead?.result;
  const figures = figuresOf(shownRead?.tool ?? '', result?.figures ?? [], result?.sources ?? []);
  const figure = (field: string) => figures.find(({ view }) => view.at === `/${field}`);
  const { holding } = notes;
  return (
    <section aria-label="Price" aria-busy={quoteRead?.run != null} className={`flex shrink-0 flex-wrap items-end gap-x-9 gap-y-2 border-b border-line py-3 ${wide ? 'min-h-17 px-5' : 'gap-x-6 px-3.5'} ${quoteRead?.run != null ? 'opacity-60' : ''}`}>
      <Item label={[isClose ? 'Last close' : 'Price', revealed(currency)].filter(Boolean).join(', ')} value={numberText(price)} detail={stale === null ? whenText(at, today) : ''} figure={figure('price')} source={source}>
        {stale !== null && (
          <Badge tone={stale === 'very_old' ? 'danger' : 'warn'} icon={stale === 'very_old' ? 'warn' : 'clock'}>
            {ageText(at, today)}
          </Badge>
        )}
      </Item>
      <Item label={isClose ? 'That day' : 'Today'} value={dayChange && percentText(dayChange, true)} tone={tones[signOf(dayChange ?? '')]} figure={figure('day_change')} source={source} />
      <Item label="12 months" value={yearChange && percentText(yearChange, true)} tone={tones[signOf(yearChange ?? '')]} figure={figure('year_change')} source={closesSource} />
      <Item label="52 weeks" value={yearLow && yearHigh && `${numberText(yearLow)} to ${numberText(yearHigh)}`} figure={figure('year_high')} source={closesSource} />
      {roomy && holding?.quantity != null && (
        <Item
          label="Your position"
          value={numberText(holding.quantity)}
          detail={holding.value === null ? '' : moneyText({ amount: holding.value, currency: holding.currency })}
          figure={notes.figure('value')}
          source={notes.figure('value') ? null : 'your notes'}
        />
      )}
      {roomy && holding?.gain != null && (
        <Item label="Your gain" value={moneyText({ amount: holding.gain, currency: holding.currency }, true)} tone={tones[signOf(holding.gain)]} figure={notes.figure('gain')} source={notes.figure('gain') ? null : 'your notes'} />
      )}
    </section>
  );
}

interface ItemProps {
  readonly label: string;
  readonly value: string | null;
  readonly detail?: string;
  readonly tone?: string;
  readonly figure?: Figure | undefined;
  /** Shown without a more specific figure. */
  readonly source: string | null;
  readonly children?: ReactNode;
}

function Item({ label, value, detail = '', tone = '', figure, source, children }: ItemProps) {
  const { openNote } = useActions();
  return (
    <div role="group" aria-label={label}>
      <div className="text-small text-fg-2">{label}</div>
      <div className="flex items-center gap-x-1.5">
        <span className={`selectable tabular text-figure font-semibold whitespace-nowrap ${value === null ? 'text-fg-3' : tone}`}>{value ?? 'unknown'}</span>
        {detail !== '' && <span className="selectable text-small text-fg-2">{detail}</span>}
        {children}
        {value !== null &&
          (figure ? (
            <FigureChip figure={figure} onNote={openNote} {...(source === null || source === '' ? {} : { word: source })} />
          ) : (
            source !== null && (
              <Badge tone={source === '' ? 'grey' : 'accent'}>
                {source === '' ? 'no source' : <Revealed text={source} />}
              </Badge>
            )
          ))}
      </div>
    </div>
  );
}
