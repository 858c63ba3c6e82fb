import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { DryRunResult, PendingToolRow, PromotedTool } from '../ipc';
import { FakeBackend } from '../testing/fake-backend';
import { renderInApp } from '../testing/render';
import { samplePendingTools, sampleWorld } from '../testing/sample';
import { SettingsPage } from './SettingsPage';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = (ms = 0) => act(() => vi.advanceTimersByTimeAsync(ms));
/** Waits until clicks are accepted. */
const look = () => wait(400);

async function setup(pendingTools: PendingToolRow[], waiting?: string) {
  const backend = new FakeBackend({ ...sampleWorld(), pendingTools });
  const view = { kind: 'settings', page: 'skills', ...(waiting === undefined ? {} : { waiting }) } as const;
  const app = renderInApp(<SettingsPage />, { backend, app: { view } });
  await wait();
  return { ...app, backend };
}

const [weather, rates, tides] = samplePendingTools() as [PendingToolRow, PendingToolRow, PendingToolRow];
const card = (name: string) => screen.getAllByTestId('waiting-tool').find(({ dataset }) => dataset['tool'] === name)!;
const plain = (part: Partial<PendingToolRow> = {}): PendingToolRow => ({
  ...weather,
  definition: { ...weather.definition!, credentials: [], proposed_hosts: [] },
  ...part,
});

describe('the list of pending tools', () => {
  it('is absent if none is pending', async () => {
    await setup([]);
    expect(screen.queryByTestId('waiting-tools')).toBeNull();
    expect(screen.queryByTestId('waiting-count')).toBeNull();
  });

  it('is counted in the navigation, with one line per tool', async () => {
    await setup([weather, rates, tides]);
    expect(screen.getByTestId('settings-nav-skills')).toHaveTextContent('3tools wait for you');
    expect(screen.getAllByTestId('waiting-tool').map((one) => one.textContent)).toEqual([
      'weatherForecast for a place, up to seven days.external',
      'ratesExchange rate of two currencies, of the last bank day.new versionexternal',
      'tidesExpected \',\', got \'}\'.does not load',
    ]);
    expect(screen.queryByTestId('promote-tool')).toBeNull();
  });

  it('follows the backend’s events', async () => {
    const { backend } = await setup([]);
    backend.world.pendingTools = [weather];
    act(() => void backend.emit({ type: 'pending_tools_changed' }));
    await wait();
    expect(card('weather')).toBeVisible();
    backend.world.pendingTools = [];
    act(() => void backend.emit({ type: 'pending_tools_changed' }));
    await wait();
    expect(screen.queryByTestId('waiting-tools')).toBeNull();
  });

  it('opens the requested tool and focuses it', async () => {
    await setup([weather, rates], 'rates');
    const button = within(card('rates')).getByRole('button', { expanded: true });
    expect(button).toHaveFocus();
    expect(within(card('weather')).getByRole('button', { expanded: false })).toBeVisible();
  });

  it('says so if the requested tool is no longer pending', async () => {
    await setup([], 'weather');
    expect(screen.getByTestId('waiting-tools')).toHaveTextContent('weather was promoted or discarded.');
  });

  it('shows why it could not be loaded', async () => {
    const backend = new FakeBackend({ ...sampleWorld() });
    backend.fail('list_pending_tools', { message: 'The folder cannot be read.' });
    renderInApp(<SettingsPage />, { backend, app: { view: { kind: 'settings', page: 'skills' } } });
    await wait();
    expect(screen.getByRole('alert')).toHaveTextContent('The folder cannot be read.');
  });
});

describe('an opened tool', () => {
  it('shows its declarations, and what it does not declare', async () => {
    await setup([weather]);
    const opened = card('weather');
    expect(opened).toHaveTextContent('api.weather.comgeo.weather.comnot declared');
    expect(opened).toHaveTextContent('weather/keyit can read this secret');
  });

  it('shows its whole file with line numbers, and no invisible characters', async () => {
    await setup([plain({ source: 'const a = 1;\r\n// x\u202e\r\n' })]);
    const lines = [...screen.getByRole('region', { name: 'Source of weather.ts' }).children].map(({ textContent }) => textContent);
    expect(lines).toEqual(['1const a = 1;', '2// xU+202E']);
  });

  it('shows a new version’s changes, and the whole file', async () => {
    await setup([rates]);
    expect(screen.getByTestId('diff')).toHaveTextContent('return { rate: rates[to], day };');
    expect(screen.queryByTestId('source')).toBeNull();
    fireEvent.click(screen.getByRole('radio', { name: 'Whole file' }));
    expect(screen.getByTestId('source')).toHaveTextContent('async run({ from, to })');
  });

  it('with an error shows its position, and can only be discarded', async () => {
    await setup([tides]);
    expect(screen.getByRole('alert')).toHaveTextContent("tides.ts, line 10, column 5: Expected ',', got '}'. Ask Nova to fix it, or discard it.");
    const marked = screen.getByTestId('source').querySelector('[data-marked]');
    expect(marked).toHaveTextContent('10 };');
    expect(screen.queryByTestId('promote-tool')).toBeNull();
    expect(screen.queryByTestId('dry-run-open')).toBeNull();
    expect(screen.getByTestId('discard-tool')).toBeVisible();
  });

  it('that cannot be read gives the reason, and can only be discarded', async () => {
    const problem = { file: 'tides.ts', line: null, column: null, message: 'it is a link to a file outside its folder; put the file itself here.' };
    const { backend } = await setup([{ ...tides, source: '', hash: 'of the link', definition: null, problem }]);
    expect(screen.getByRole('alert')).toHaveTextContent(`tides.ts: ${problem.message} Ask Nova to write it again, or discard it.`);
    expect(screen.queryByTestId('promote-tool')).toBeNull();
    expect(screen.queryByTestId('source')).toBeNull();
    await look();
    fireEvent.click(screen.getByTestId('discard-tool'));
    expect(screen.getByText(/The linked file stays/)).toBeVisible();
    await look();
    fireEvent.click(screen.getByTestId('discard-confirm'));
    await wait();
    expect(backend.asked('discard_tool')).toEqual([{ name: 'tides', hash: 'of the link' }]);
  });
});

describe('Promote', () => {
  it('puts the shown version in force by one click, and reports the result', async () => {
    const { backend, store } = await setup([plain(), rates], 'weather');
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(backend.asked('promote_tool')).toEqual([{ name: 'weather', hash: 'weather-1' }]);
    const said = screen.getByTestId('waiting-tool-settled');
    expect(said).toHaveTextContent('dynamic.weather can be called from now on, its file is weather.ts. Run it');
    expect(said).toHaveFocus();
    expect(screen.getAllByTestId('waiting-tool')).toHaveLength(1);
    fireEvent.click(within(said).getByRole('button', { name: 'Run it' }));
    expect(store.get().app.view).toEqual({ kind: 'run-tool', tool: 'dynamic.weather' });
  });

  it('says where the previous version is stored', async () => {
    await setup([rates]);
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(screen.getByTestId('waiting-tool-settled')).toHaveTextContent('The previous version is kept as replaced/rates.ts.');
  });

  it('is sent once on a double click', async () => {
    const { backend } = await setup([plain()]);
    let answer: (promoted: PromotedTool) => void = () => undefined;
    backend.on('promote_tool', () => new Promise((resolve) => (answer = resolve)));
    await look();
    const button = screen.getByTestId('promote-tool');
    act(() => {
      button.click();
      button.click();
    });
    await wait();
    fireEvent.click(screen.getByTestId('promote-tool'));
    fireEvent.click(screen.getByTestId('discard-tool'));
    expect(backend.asked('promote_tool')).toHaveLength(1);
    expect(screen.queryByTestId('discard-confirm')).toBeNull();
    await act(async () => answer({ tool: 'dynamic.weather', file: 'weather.ts', replaced: null }));
    expect(screen.getByTestId('waiting-tool-settled')).toBeVisible();
  });

  it('ignores clicks of the first 400 ms', async () => {
    const { backend } = await setup([plain()]);
    await wait(399);
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(backend.asked('promote_tool')).toEqual([]);
  });

  it.each<[string, Partial<NonNullable<PendingToolRow['definition']>>, string]>([
    ['reads a secret', { credentials: ['weather/key'] }, 'It can read weather/key from its first call on'],
    ['sends', { effect: 'send' }, 'It sends in your name'],
    ['destroys', { effect: 'destructive' }, 'It does what cannot be undone'],
    ['does not say what it does', { effect: 'undeclared' }, 'It declares no effect'],
  ])('a tool that %s needs confirmation, not by a double click; Esc goes back', async (_, definition, text) => {
    const { backend } = await setup([plain({ definition: { ...plain().definition!, ...definition } })]);
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    expect(screen.getByRole('group', { name: new RegExp(text) })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Back' })).toHaveFocus();
    fireEvent.click(screen.getByTestId('promote-confirm'));
    await wait();
    expect(backend.asked('promote_tool')).toEqual([]);
    fireEvent.keyDown(screen.getByRole('button', { name: 'Back' }), { key: 'Escape' });
    expect(screen.getByTestId('promote-tool')).toHaveFocus();
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await look();
    fireEvent.click(screen.getByTestId('promote-confirm'));
    await wait();
    expect(backend.asked('promote_tool')).toEqual([{ name: 'weather', hash: 'weather-1' }]);
  });

  it('refuses a file that changed meanwhile, and shows the current version', async () => {
    const { backend } = await setup([plain()]);
    await look();
    // The change event has not arrived yet.
    backend.world.pendingTools = [plain({ hash: 'weather-2', source: 'const other = 2;\n' })];
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(screen.getByTestId('source')).toHaveTextContent('const other = 2;');
    expect(screen.getByRole('alert')).toHaveTextContent('weather.ts changed during your review. This is the current version; review it again.');
    expect(screen.getByTestId('promote-tool')).toBeDisabled();
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(backend.asked('promote_tool').map(({ hash }) => hash)).toEqual(['weather-1', 'weather-2']);
  });

  it('is disarmed if the file changes before the click', async () => {
    const { backend } = await setup([weather]);
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await look();
    backend.world.pendingTools = [{ ...weather, hash: 'weather-2' }];
    act(() => void backend.emit({ type: 'pending_tools_changed' }));
    await wait();
    expect(screen.queryByTestId('promote-confirm')).toBeNull();
    expect(screen.getByTestId('promote-tool')).toBeDisabled();
    expect(backend.asked('promote_tool')).toEqual([]);
  });

  it('says why it failed, and can be retried', async () => {
    const { backend } = await setup([plain()]);
    backend.fail('promote_tool', { code: 'io', message: 'The disk is full.', hint: 'Make room.' });
    await look();
    fireEvent.click(screen.getByTestId('promote-tool'));
    await wait();
    expect(screen.getByRole('alert')).toHaveTextContent('The disk is full.Make room.');
    expect(screen.getByTestId('promote-tool')).toBeEnabled();
  });
});

describe('Discard', () => {
  it('asks once, naming what it deletes', async () => {
    const { backend } = await setup([weather]);
    await look();
    fireEvent.click(screen.getByTestId('discard-tool'));
    expect(screen.getByRole('group', { name: 'weather.ts will be deleted and cannot be restored.' })).toBeVisible();
    expect(backend.asked('discard_tool')).toEqual([]);
    await look();
    fireEvent.click(screen.getByTestId('discard-confirm'));
    await wait();
    expect(backend.asked('discard_tool')).toEqual([{ name: 'weather', hash: 'weather-1' }]);
    expect(screen.getByTestId('waiting-tool-settled')).toHaveTextContent('weather was discarded.');
    expect(screen.queryByTestId('waiting-count')).toBeNull();
  });

  it('can be cancelled', async () => {
    const { backend } = await setup([weather]);
    await look();
    fireEvent.click(screen.getByTestId('discard-tool'));
    fireEvent.click(screen.getByRole('button', { name: 'Back' }));
    expect(screen.getByTestId('discard-tool')).toHaveFocus();
    expect(backend.asked('discard_tool')).toEqual([]);
  });
});

describe('a dry run', () => {
  const ran: DryRunResult = {
    requests: [{ method: 'POST', url: 'https://api.weather.com/v3?q=Kiel\u200b', headers: ['authorization', 'accept'] }],
    credentials: ['weather/key'],
    logs: ['asked for Kiel'],
    value: { degrees: 4 },
    problem: null,
  };
  /** Opens the form and fills in the required argument. */
  const fill = async () => {
    fireEvent.click(screen.getByTestId('dry-run-open'));
    await wait();
    fireEvent.change(screen.getByLabelText(/City/), { target: { value: 'Kiel' } });
  };

  it('shows requests that would be sent, and that none was', async () => {
    const { backend } = await setup([weather]);
    backend.on('dry_run_tool', () => ran);
    await fill();
    fireEvent.click(screen.getByTestId('dry-run-start'));
    await wait();
    expect(backend.asked('dry_run_tool')).toEqual([{ name: 'weather', hash: 'weather-1', args: { city: 'Kiel', days: 3 } }]);
    const result = screen.getByTestId('dry-run-result');
    expect(result).toHaveTextContent('Nothing left this machine.');
    expect(result).toHaveTextContent('POST https://api.weather.com/v3?q=KielU+200Bheaders authorization, accept');
    expect(within(result).getByRole('region', { name: 'Asked for' })).toHaveTextContent('weather/key');
    expect(within(result).getByRole('region', { name: 'Log' })).toHaveTextContent('asked for Kiel');
    expect(within(result).getByRole('region', { name: 'It answered' })).toHaveTextContent('Degrees4');
  });

  it('that fails shows the position in the file', async () => {
    const { backend } = await setup([weather]);
    const problem = { file: 'weather.ts', line: 19, column: 40, message: 'place.id is undefined' };
    backend.on('dry_run_tool', () => ({ ...ran, requests: [], credentials: [], logs: [], value: null, problem }));
    await fill();
    fireEvent.click(screen.getByTestId('dry-run-start'));
    await wait();
    const result = screen.getByTestId('dry-run-result');
    expect(result).toHaveTextContent('Would have sent nothing');
    expect(result).toHaveTextContent('weather.ts, line 19, column 40: place.id is undefined.');
    expect(result).not.toHaveTextContent('It answered');
  });

  it('does not start without a required argument or twice at once', async () => {
    const { backend } = await setup([weather]);
    backend.on('dry_run_tool', () => new Promise(() => undefined));
    fireEvent.click(screen.getByTestId('dry-run-open'));
    await wait();
    fireEvent.click(screen.getByTestId('dry-run-start'));
    await wait();
    expect(backend.asked('dry_run_tool')).toEqual([]);
    fireEvent.change(screen.getByLabelText(/City/), { target: { value: 'Kiel' } });
    const button = screen.getByTestId('dry-run-start');
    act(() => {
      button.click();
      button.click();
    });
    await wait();
    expect(backend.asked('dry_run_tool')).toHaveLength(1);
    expect(screen.getByTestId('dry-run-start')).toBeDisabled();
  });

  it('of a file that changed meanwhile shows the current version', async () => {
    const { backend } = await setup([weather]);
    await fill();
    backend.world.pendingTools = [{ ...weather, hash: 'weather-2' }];
    fireEvent.click(screen.getByTestId('dry-run-start'));
    await wait();
    expect(screen.getByText(/weather.ts changed during your review/)).toBeVisible();
    expect(screen.queryByTestId('dry-run-result')).toBeNull();
  });
});

it('continues after another window discarded a tool', async () => {
  const { backend } = await setup([plain(), rates]);
  fireEvent.click(within(card('weather')).getByRole('button'));
  await look();
  backend.world.pendingTools = [rates];
  fireEvent.click(screen.getByTestId('promote-tool'));
  await wait();
  expect(screen.getAllByTestId('waiting-tool')).toHaveLength(1);
  expect(screen.getByTestId('waiting-count')).toHaveTextContent('1');
  expect(screen.getByTestId('waiting-tool-settled')).toHaveTextContent('weather was promoted or discarded');
  expect(screen.getByTestId('waiting-tool-settled')).toHaveFocus();
});
