import { useRef } from 'react';

import { Button, Empty, Icon, IconButton, LinkButton, Loading, Popover } from '../../shared';
import { useScreener } from './context';
import { EquityChart } from './EquityChart';
import { Failure, RunBar } from './RunBar';
import { isOldTest } from './state';
import { Halves, Limitations, Results, Statistics } from './TestResults';
import { TestSettingsForm } from './TestSettings';
import { TestTrades } from './TestTrades';
import { Today } from './Today';
import { firstDayIn, testText } from './words';

/** Back-test of the open screen against its universe. */
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
            <Limitations />
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
      {isAble ? 'What these conditions would have returned, month by month.' : 'No conditions. Add one, or choose a strategy in Settings.'}
    </Empty>
  );
}

/** Says that conditions or settings changed since the run. */
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
