import { useRef, type ReactNode } from 'react';

import { Button, Empty, Icon, IconButton, LinkButton, Loading, Popover } from '../../shared';
import { percentText, numberText } from '../../shared/amount';
import { signOf } from '../../shared/decimal';
import { FigureChip, figuresOf } from '../../shared/figures';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { shortDay, whenText } from '../symbol/words';
import { useScreener } from './context';
import { EquityChart } from './EquityChart';
import { Failure, RunBar } from './RunBar';
import { isOldTest } from './state';
import { TestSettingsForm } from './TestSettings';
import { TestTrades } from './TestTrades';
import { Today } from './Today';
import { firstDayIn, ranText, testText, unansweredText, valueText } from './words';

/** What the open screen would have made, beside the universe it chose from. */
export function BackTestColumn() {
  const { room, testing, test } = useScreener();
  const isRunning = testing?.isRunning === true;
  return (
    <section aria-label="Back-test" data-screener-test="" className={`flex min-h-0 flex-col ${room === 'three' ? 'w-125 shrink-0 border-l border-line' : 'flex-1'}`}>
      <Head />
      <div data-scroll="" className="flex min-h-0 flex-1 flex-col overflow-y-auto pb-4">
        <Progress />
        {test === null ? (
          <BeforeTest />
        ) : (
          <div aria-busy={isRunning} className={isRunning && testing.isBefore ? 'opacity-60' : ''}>
            <OldTest />
            <Results />
            <EquityChart />
            <Statistics />
            <TestTrades />
            <Halves />
            <CannotKnow />
            <Today />
          </div>
        )}
      </div>
    </section>
  );
}

function Head() {
  const { test, room, state, dispatch } = useScreener();
  const button = useRef<HTMLButtonElement>(null);
  return (
    <header className="flex min-h-11 shrink-0 items-center gap-2 px-5 pt-1">
      <h2 className="text-ui font-semibold">Back-test</h2>
      <span className="cut selectable min-w-0 flex-1 text-small text-fg-2" data-tip={test === null ? undefined : testText(test)}>
        {test !== null && testText(test)}
      </span>
      <Popover
        label="Settings of the back-test"
        align="end"
        open={state.settingsOpen}
        onOpenChange={(open) => dispatch({ type: 'settings', open })}
        returnTo={() => button.current}
        trigger={
          <Button ref={button} variant="quiet" className="text-small! font-normal!">
            Settings
            <Icon name="chevron-down" size={12} />
          </Button>
        }
      >
        <TestSettingsForm />
      </Popover>
      {room === 'three' && <IconButton icon="x" label="Close the back-test" className="-mr-1.5" onClick={() => dispatch({ type: 'test', closed: true })} />}
    </header>
  );
}

function Progress() {
  const { testing, stop, startTest } = useScreener();
  if (testing === null) return null;
  const { run, isRunning, message, fraction } = testing;
  const error = run.result?.error ?? null;
  const isStopped = error?.code === 'cancelled';
  const first = error === null ? null : /begin/i.test(`${error.message} ${error.hint}`) ? firstDayIn(`${error.hint} ${error.message}`) : null;
  if (!isRunning && error === null) return null;
  return (
    <>
      <RunBar view={testing} text={isRunning ? (message ?? 'Testing') : isStopped ? 'Stopped by you' : 'Not tested'} fraction={fraction} onStop={() => stop('test')} label="Back-test" />
      {!isRunning && error !== null && !isStopped && (
        <div className="px-5 pb-2">
          <Failure error={error} onAgain={() => startTest()} actions={first !== null && <LinkButton onClick={() => startTest(first.from)}>{first.label}</LinkButton>} />
        </div>
      )}
    </>
  );
}

function BeforeTest() {
  const { testing, opened, startTest, state } = useScreener();
  if (testing?.isRunning === true) {
    return (
      <div className="px-5 py-2">
        <Loading lines={6} label="Testing" />
      </div>
    );
  }
  const isAble = opened.draft.conditions.length > 0 || state.test.strategy !== '';
  return (
    <Empty
      action={
        <Button icon="play" disabled={!isAble} onClick={() => startTest()}>
          Run back-test
        </Button>
      }
    >
      {isAble ? 'What these conditions would have made, month by month.' : 'No conditions. Add one, or choose a strategy in Settings.'}
    </Empty>
  );
}

/** The result is not that of the conditions and settings as they are. */
function OldTest() {
  const { testing, state, opened, startTest } = useScreener();
  const used = testing?.isRunning === true ? testing.run : testing?.found;
  if (used == null || !isOldTest(used, state.test, opened)) return null;
  return (
    <div role="status" className="mx-5 mb-2 flex items-center gap-2.5 rounded-card bg-accent-soft px-2.5 py-1.5 text-small" data-testid="old-test">
      <Icon name="info" size={14} className="text-accent" />
      <span className="min-w-0 flex-1">Conditions or settings changed since this back-test.</span>
      <LinkButton onClick={() => startTest()}>Run again</LinkButton>
    </div>
  );
}

const tones = { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' };

function Results() {
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
      <Item label="Return a year" tone={tones[signOf(yearlyReturn ?? '')]} value={percent(yearlyReturn)} tip={totalReturn === null ? undefined : `${percent(totalReturn)} in all`}>
        {how('yearly_return')}
      </Item>
      <Item label="Benchmark a year" value={percent(benchmarkYearlyReturn)} tip={benchmarkTotalReturn === null ? undefined : `${percent(benchmarkTotalReturn)} in all`}>
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

/** Figures of the run, its rules, and what it was computed from. */
function Statistics() {
  const { test, today } = useScreener();
  if (test === null) return null;
  const ran = ranText(test, (at) => whenText(at, today));
  return (
    <section aria-label="Statistics" className="border-t border-line px-5 py-2.5 text-small">
      <dl className="grid grid-cols-2 gap-x-8 gap-y-0.5">
        {test.statistics.map(({ key, name, value, unit }) => (
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
      {ran !== '' && <p className="selectable pt-1 text-fg-2">{ran}</p>}
      {test.unanswered.length > 0 && <p className="selectable pt-1 text-warn">{unansweredText(test.unanswered)}</p>}
    </section>
  );
}

/** The same rules before and after a day: what holds in one half alone is luck. */
function Halves() {
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
              Return a year
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

/** Always open: it is a part of the result. */
function CannotKnow() {
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
