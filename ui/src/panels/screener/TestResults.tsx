import { useState, type ReactNode } from 'react';

import { Icon, LinkButton } from '../../shared';
import { numberText, percentText } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { FigureChip, figuresOf } from '../../shared/figures';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { shortDay, whenText } from '../symbol/words';
import { useScreener } from './context';
import { ranText, unansweredText, valueText } from './words';

const tones = { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' };

/** The four headline figures, with their derivation where the tool gives one. */
export function Results() {
  const { test, testing } = useScreener();
  const { openNote } = useActions();
  if (test === null) return null;
  const result = testing?.run.result;
  const figures = figuresOf(testing?.run.asked.tool ?? '', result?.figures ?? [], result?.sources ?? []);
  const how = (key: string) => {
    const figure = figures.find(({ view }) => view.at === `/${key}`);
    return figure && <FigureChip figure={figure} onNote={openNote} word="how" />;
  };
  const { yearlyReturn, benchmarkYearlyReturn, deepestFall, tradesCount, totalReturn, benchmarkTotalReturn } = test;
  const percent = (value: string | null) => (value === null ? 'unknown' : percentText(value, true));
  return (
    <div className="flex flex-wrap justify-between gap-x-4 gap-y-2 px-5 pb-2">
      <Item label="Return per year" tone={tones[signOf(yearlyReturn ?? '')]} value={percent(yearlyReturn)} tip={totalReturn === null ? undefined : `${percent(totalReturn)} in total`}>
        {how('yearly_return')}
      </Item>
      <Item label="Benchmark per year" value={percent(benchmarkYearlyReturn)} tip={benchmarkTotalReturn === null ? undefined : `${percent(benchmarkTotalReturn)} in total`}>
        {how('benchmark_yearly_return')}
      </Item>
      <Item label="Deepest fall" tone="text-danger" value={percent(deepestFall)}>
        {how('deepest_fall')}
      </Item>
      <Item label="Trades" value={numberText(String(tradesCount))} />
    </div>
  );
}

function Item({ label, value, tone = '', tip, children }: { label: string; value: string; tone?: string | undefined; tip?: string | undefined; children?: ReactNode }) {
  return (
    <div role="group" aria-label={label}>
      <div className="text-small text-fg-2">{label}</div>
      <div className="flex items-center gap-2">
        <span data-tip={tip} className={`selectable tabular text-figure font-semibold whitespace-nowrap ${value === 'unknown' ? 'text-fg-3' : tone}`}>
          {value}
        </span>
        {children}
      </div>
    </div>
  );
}

/** Statistics shown at first. */
const FIRST = 6;

/** Statistics, time and sources of the run. */
export function Statistics() {
  const { test, today } = useScreener();
  const [all, setAll] = useState(false);
  if (test === null) return null;
  const { statistics } = test;
  const ran = ranText(test, (at) => whenText(at, today));
  return (
    <section aria-label="Statistics" className="border-t border-line px-5 py-2.5 text-small">
      <dl className="grid grid-cols-2 gap-x-8 gap-y-0.5">
        {statistics.slice(0, all ? undefined : FIRST).map(({ key, name, value, unit }) => (
          <div key={key} className="flex justify-between gap-3">
            <dt className="text-fg-2">
              <Revealed text={name} />
            </dt>
            <dd className={`selectable tabular whitespace-nowrap ${value === null ? 'text-fg-3' : 'font-medium'}`}>
              <Revealed text={valueText(value, unit === 'currency' ? test.currency : unit, name)} />
            </dd>
          </div>
        ))}
      </dl>
      {statistics.length > FIRST && (
        <LinkButton aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer statistics' : `Show all ${statistics.length} statistics`}
        </LinkButton>
      )}
      {ran !== '' && <p className="selectable pt-1 text-fg-2">{ran}</p>}
      {test.unanswered.length > 0 && <p className="selectable pt-1 text-warn">{unansweredText(test.unanswered)}</p>}
    </section>
  );
}

/** Walk-forward split: the same rules before and after a day. */
export function Halves() {
  const { test, today } = useScreener();
  if (test === null || test.halves.length === 0) return null;
  const percent = (value: string | null) => (value === null ? 'unknown' : percentText(value, true));
  return (
    <section aria-label="Before and after" className="border-t border-line pt-2.5 text-small">
      <table aria-label="Before and after the split" className="w-full border-collapse">
        <thead>
          <tr className="text-fg-2">
            <th scope="col" className="py-1 pl-5 text-left font-normal">
              Split
            </th>
            <th scope="col" className="py-1 text-right font-normal">
              Return per year
            </th>
            <th scope="col" className="py-1 pr-5 text-right font-normal">
              Deepest fall
            </th>
          </tr>
        </thead>
        <tbody>
          {test.halves.map(({ from, to, yearlyReturn, deepestFall }) => (
            <tr key={from} className="h-7 border-t border-line">
              <th scope="row" className="pl-5 text-left font-normal">
                {shortDay(from, today)} to {shortDay(to, today)}
              </th>
              <td className={`selectable tabular text-right ${tones[signOf(yearlyReturn ?? '')]}`}>{percent(yearlyReturn)}</td>
              <td className="selectable tabular pr-5 text-right">{percent(deepestFall)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Limits of the back-test; part of the result, never folded. */
export function Limitations() {
  const { test } = useScreener();
  if (test === null || test.unknown.length === 0) return null;
  return (
    <section aria-label="What this cannot know" className="border-t border-line px-5 py-2.5 text-small">
      <h3 className="pb-0.5 font-semibold">What this cannot know</h3>
      <ul>
        {test.unknown.map((line) => (
          <li key={line} className="selectable flex min-h-5 items-start gap-2.5 py-px text-fg-2">
            <Icon name="question" size={12} className="mt-1" />
            {revealed(line)}
          </li>
        ))}
      </ul>
    </section>
  );
}
