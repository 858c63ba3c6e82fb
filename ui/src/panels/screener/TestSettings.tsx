import { useId, type ReactNode } from 'react';

import { Button, TextField } from '../../shared';
import { checkDate } from '../../shared/form/dates';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { Choice } from './Choice';
import { useScreener } from './context';
import { Problems } from './Problems';
import type { TestSettings } from './state';

const periods = ['never', 'daily', 'weekly', 'monthly', 'quarterly', 'yearly'].map((one) => [one, one] as const);
const fills = [
  ['next_open', 'at the next open'],
  ['close', 'at the close of the signal'],
] as const;
const weights = [
  ['equal', 'all money in equal parts'],
  ['slots', 'an equal slot each'],
] as const;
const quantities = [
  ['false', 'whole shares'],
  ['true', 'parts of shares'],
] as const;

/** Settings of the back-test, and the rules of the last run. */
export function TestSettingsForm() {
  const { state, dispatch, screens, opened, startTest, testing, test } = useScreener();
  const { strategy } = state.test;
  const chosen = screens.strategies.find(({ name }) => name === strategy);
  const set = (settings: Partial<TestSettings>) => dispatch({ type: 'set', settings });
  const problem = problemOf(state.test);
  const isAble = problem === null && testing?.isRunning !== true && (strategy !== '' || opened.draft.conditions.length > 0);
  return (
    <form
      className="flex w-84 flex-col gap-2 text-small"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAble) startTest();
      }}
    >
      <Row label="Strategy">
        <Choice label="Strategy" className="flex-1" value={strategy} onChange={(next) => set({ strategy: next })}>
          <option value="">{opened.name === '' ? 'These conditions' : `The screen ${revealed(opened.name)}`}</option>
          {screens.strategies.map(({ name, path }) => (
            <option key={path} value={name}>
              {revealed(name)}
            </option>
          ))}
        </Choice>
      </Row>
      {chosen && <Problems problems={chosen.problems} note={chosen.path} label="Problems with the strategy" />}
      <Text of="from" label="From" placeholder="First close, or 2016-01-01" />
      <Text of="to" label="To" placeholder="Last close" />
      <Text of="split" label="Compare before and after" placeholder="A day, 2021-01-01" />
      <Text of="benchmark" label="Compare with" placeholder="The list, or a symbol" />
      <Text of="cash" label="Cash at the start" placeholder="Default" />
      <Text of="positions" label="Positions at most" placeholder="Default" />
      <Options of="rebalance" label="Rebalance" options={periods} />
      <Options of="fill" label="Trades are filled" options={fills} />
      <Options of="weight" label="Size of a position" options={weights} />
      <Options of="fractional" label="Shares" options={quantities} />
      <Text of="cost" label="Cost of a trade" placeholder="Default" />
      <Text of="fee" label="Fee of a trade" placeholder="Default" />
      <Text of="slippage" label="Slippage" placeholder="Default" />
      {problem !== null && (
        <p role="alert" className="text-danger">
          {problem}
        </p>
      )}
      <span className="flex justify-end">
        <Button type="submit" icon="play" disabled={!isAble}>
          {test === null ? 'Run back-test' : 'Run again'}
        </Button>
      </span>
      {test !== null && test.rules.length > 0 && (
        <dl aria-label="Rules of the last run" className="flex max-h-40 flex-col gap-0.5 overflow-y-auto border-t border-line pt-2">
          {test.rules.map(({ name, value }) => (
            <div key={name} className="flex justify-between gap-3">
              <dt className="shrink-0 text-fg-2">
                <Revealed text={name} />
              </dt>
              <dd className="selectable text-right">
                <Revealed text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </form>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-2">
      <span className="w-38 shrink-0 text-fg-2">{label}</span>
      {children}
    </div>
  );
}

function Text({ of, label, placeholder }: { of: keyof TestSettings; label: string; placeholder: string }) {
  const { state, dispatch } = useScreener();
  const id = useId();
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="w-38 shrink-0 text-fg-2">
        {label}
      </label>
      <TextField id={id} className="h-7! min-w-0 flex-1 px-2! [&_input]:text-small" placeholder={placeholder} value={state.test[of]} onChange={(event) => dispatch({ type: 'set', settings: { [of]: event.target.value } })} />
    </div>
  );
}

function Options({ of, label, options }: { of: keyof TestSettings; label: string; options: readonly (readonly [string, string])[] }) {
  const { state, dispatch } = useScreener();
  return (
    <Row label={label}>
      <Choice label={label} className="flex-1" value={state.test[of]} onChange={(next) => dispatch({ type: 'set', settings: { [of]: next } })}>
        <option value="">Default</option>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Choice>
    </Row>
  );
}

/** Why the settings are invalid, in a sentence. */
function problemOf({ from, to, split, cash, positions, cost, fee, slippage }: TestSettings): string | null {
  for (const day of [from, to, split]) {
    const wrong = day.trim() === '' ? null : checkDate(day);
    if (wrong !== null) return `${day.trim()} is not a day. ${wrong.message.replace(/\.?$/, '.')}`;
  }
  if (from.trim() !== '' && to.trim() !== '' && from.trim() >= to.trim()) return 'The back-test begins after its end.';
  if (cash.trim() !== '' && !/^\d+(\.\d+)?$/.test(cash.trim())) return 'Write the cash as a number, such as 10000.';
  if (positions.trim() !== '' && !/^[1-9]\d*$/.test(positions.trim())) return 'Write the positions as a whole number.';
  if (fee.trim() !== '' && !/^\d+(\.\d+)?$/.test(fee.trim())) return 'Write the fee as a number, such as 5.';
  for (const share of [cost, slippage]) {
    if (share.trim() !== '' && !/^\d+(\.\d+)?\s*%?$/.test(share.trim())) return 'Write costs as 0.1 %.';
  }
  return null;
}
