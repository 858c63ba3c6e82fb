// A skill's panel, drawn from its declaration: beside the conversation, or in its place.

import { Tabs } from 'radix-ui';
import { useState } from 'react';

import { useBackend, type JsonValue, type PanelAction, type PanelPart, type PanelView } from '../../ipc';
import { Button, count, Empty, Icon, IconButton, iconOf, keyText, skillIcon, TextField, useMedia } from '../../shared';
import { isProposal } from '../../shared/confirm';
import { FieldProposal } from '../../shared/FieldProposal';
import { useEditNote } from '../../state/editNote';
import { useActions, useApp } from '../../state/hooks';
import { importOf } from '../import/action';
import { usePanelImport } from '../import/PanelImport';
import { at, fill, fieldOf, isEmpty, namesIn, pathOf, problemsIn, rowsAt, textOf, type Row, type Scope } from './answer';
import { CallBars, ProblemBars } from './Bars';
import { BoardView } from './BoardView';
import { ChartView } from './ChartView';
import { PanelProvider, usePanel, type Outcome, type PanelContext } from './context';
import { firstChosen, InputField, type Chosen } from './Inputs';
import { homeOf, tabsOf, type ShownTab } from './layout';
import { ListView } from './ListView';
import { OwnPanel, ownPanels } from './own';
import { SummaryView } from './SummaryView';
import { keyOf } from './state';
import { TableView } from './TableView';
import { ToolFields, ToolSheet, type ToolToFill } from './ToolSheet';
import { useCalls, type PanelCall } from './useCalls';
import { useReads } from './useReads';

interface SkillPanelProps {
  readonly panel: PanelView;
  /** It has the conversation's place. */
  readonly wide: boolean;
}

export function SkillPanel({ panel, wide }: SkillPanelProps) {
  const own = ownPanels[panel.skill];
  if (own) return <OwnPanel skill={panel.skill} wide={wide} Panel={own} />;
  if (panel.problem !== null || panel.panel.tabs.length === 0) {
    return (
      <Empty title={wide ? panel.name : undefined}>
        {panel.problem ?? 'This panel is empty.'} The skill works without it.
      </Empty>
    );
  }
  return <Declared panel={panel} wide={wide} />;
}

function Declared({ panel, wide }: SkillPanelProps) {
  const today = useApp((app) => app.status?.today ?? '');
  const roomy = useMedia('(min-width: 1100px)');
  const { openNote, openRecordForm } = useActions();
  const editNote = useEditNote();
  const backend = useBackend();
  const calls = useCalls();

  const tabs = tabsOf(panel.panel.tabs, !wide || roomy);
  const [tabKey, setTabKey] = useState('0');
  const shown = tabs.find(({ key }) => key === tabKey) ?? tabs[0];
  const [chosen, setChosen] = useState<Readonly<Record<string, Chosen>>>({});
  /** By tab: what its rows are to have. */
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>({});
  /** The form that lies over the panel, its number for another one in its place, and the call it waits for. */
  const [form, setForm] = useState<(ToolToFill & { number: number }) | null>(null);
  const [inForm, setInForm] = useState<string | null>(null);

  const nameOf = (tool: string) => (tool.includes('.') ? tool : `${panel.skill}.${tool}`);
  const ownInputs = shown?.tab.inputs ?? [];
  const inputs = { ...firstChosen(ownInputs, today), ...chosen[ownInputs.map(({ name }) => name).join()] };
  const askedBy: PanelContext['asked'] = ({ tool, args }) => ({ tool: nameOf(tool), args: fill(args, [inputs]) });

  const parts = shown ? [...shown.layout.top, ...shown.layout.rows.flat(), ...shown.layout.side] : [];
  const asked = parts.flatMap((part) => (part.kind === 'form' ? [] : [askedBy(part)]));
  const counts = tabs.flatMap(({ tab }) => (tab.count ? [askedBy({ tool: tab.count.tool, args: {} })] : []));
  const reads = useReads([...asked, ...counts]);

  const setFilter = (text: string) => setFilters((old) => ({ ...old, [shown?.key ?? '']: text }));
  const importAction = importOf(panel);
  const importing = usePanelImport(panel.skill, importAction?.tool == null ? null : nameOf(importAction.tool), reads.again, setFilter);

  const act = async (action: PanelAction, row?: Row, column?: string): Promise<Outcome> => {
    if (action.edit) {
      const path = row ? pathOf(row) : null;
      if (path === null) return { kind: 'failed', reason: 'This row is not a note.' };
      await editNote(path);
      return { kind: 'asked' };
    }
    if (action.import) {
      importing.open();
      return { kind: 'asked' };
    }
    if (action.record !== null) {
      const path = row ? pathOf(row) : null;
      const values = path === null ? fill(action.args, [row, inputs]) : {};
      openRecordForm({ skill: panel.skill, type: action.record, path, ...(Object.keys(values).length > 0 ? { values } : {}) });
      return { kind: 'asked' };
    }
    if (action.tool === null) return { kind: 'failed', reason: 'This button has no tool.' };
    const tool = nameOf(action.tool);
    const names = [column === undefined ? null : { column }, row, inputs];
    const currency = await usualCurrency(action, names);
    const args = fill(action.args, [...names, { today, currency }]);
    if (action.ask) {
      openForm({ title: action.label, tool, args });
      return { kind: 'asked' };
    }
    return call(labelOf(action, row, column, tabs), tool, args);
  };
  /** Asked for when it is needed: notes may have changed it. */
  const usualCurrency = async (action: PanelAction, names: Scope): Promise<string> => {
    if (!namesIn(action.args).has('currency') || fill({ currency: '{currency}' }, names)['currency'] !== undefined) return '';
    const { currency } = await backend.rpc('usual_currency', { skill: panel.skill }).catch(() => ({ currency: null }));
    return currency ?? '';
  };
  const openForm = (next: ToolToFill) => {
    setInForm(null);
    setForm((old) => ({ ...next, number: (old?.number ?? 0) + 1 }));
  };
  const callFromForm = async (args: JsonValue, run: string) => {
    setInForm(run);
    const result = await calls.call(form?.title ?? '', form?.tool ?? '', asRow(args), run);
    reads.again();
    return result;
  };
  /** A call once more, changed: nothing of what was typed is lost. */
  const editCall = (old: PanelCall) => {
    calls.dismiss(old);
    const proposed = old.result?.ok && isProposal(old.result.value) ? { proposed: old.result.value } : {};
    openForm({ title: old.label, tool: old.tool, args: old.args, ...proposed });
  };
  const call = async (label: string, tool: string, args: Readonly<Record<string, JsonValue>>): Promise<Outcome> => {
    const run = `panel-${crypto.randomUUID()}`;
    const result = await calls.call(label, tool, args, run);
    reads.again();
    if (result.ok && isProposal(result.value)) {
      calls.dismiss({ id: run });
      openForm({ title: label, tool, args, proposed: result.value });
      return { kind: 'asked' };
    }
    return result.ok ? { kind: 'done' } : { kind: 'failed', reason: result.error?.message ?? `${tool} failed.` };
  };
  /** There is room for the field that says so. */
  const canFilter = wide && parts.some(({ kind }) => kind === 'table' || kind === 'board' || kind === 'list');
  const filter = filters[shown?.key ?? ''] ?? '';
  const context: PanelContext = {
    skill: panel.skill,
    today,
    wide,
    filter: canFilter ? filter : '',
    asked: askedBy,
    openTab: (title) => setTabKey(tabs.find((one) => one.title === title)?.key ?? tabKey),
    read: (one) => reads.of(one),
    again: reads.again,
    act,
    openNote,
    editNote,
    inputs,
    inputsAt: (part) => ownInputs.filter((input) => homeOf(input, shown?.tab.parts ?? []) === part),
    choose: (name, value) => {
      const key = ownInputs.map((input) => input.name).join();
      setChosen((old) => ({ ...old, [key]: { ...old[key], [name]: value } }));
    },
  };
  if (!shown) return null;

  const problems = problemsIn([...new Set(asked.map(keyOf))].map((key) => reads.all[key]?.result?.value));
  const nothing = isEmpty(parts, (part) => reads.of(askedBy(part))?.result?.value);
  const { top, rows, side } = shown.layout;
  const head = (
    <>
      {ownInputs
        .filter((input) => homeOf(input, shown.tab.parts) === null)
        .map((input) => (
          <InputField key={input.name} input={input} value={inputs[input.name] ?? ''} onChange={(value) => context.choose(input.name, value)} />
        ))}
      {canFilter && (
        <TextField
          icon="search"
          frame="line"
          type="search"
          aria-label="Filter"
          placeholder="Filter"
          className="w-45 short:w-40"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || filter === '') return;
            event.preventDefault();
            setFilter('');
          }}
        />
      )}
      {shown.tab.actions.map((action) => {
        const icon = iconOf(action.icon);
        return (
          <Button key={action.label} {...(icon ? { icon } : {})} onClick={() => void act(action)}>
            {action.label}
          </Button>
        );
      })}
    </>
  );
  return (
    <PanelProvider value={context}>
      <Tabs.Root
        value={shown.key}
        onValueChange={setTabKey}
        data-testid="skill-panel"
        {...importing.handlers}
        data-skill={panel.skill}
        className="flex h-full min-h-0 min-w-0 flex-col"
      >
        {wide ? (
          <header data-region="header" tabIndex={-1} aria-label={panel.name} className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-2 border-b border-line py-2 pr-3 pl-5">
            <Icon name={skillIcon(panel.skill, '', panel.icon)} />
            <h1 className="shrink-0 text-body font-semibold">{panel.name}</h1>
            <TabList tabs={tabs} value={(tab) => countOf(tab, reads.of(askedBy({ tool: tab.count?.tool ?? '', args: {} }))?.result?.value)} />
            <span className="flex-1" />
            {head}
            <span aria-hidden="true" className="h-4 w-px shrink-0 bg-line-strong" />
            <NarrowButton />
          </header>
        ) : (
          <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3.5 py-2 empty:hidden">
            <TabList tabs={tabs} value={(tab) => countOf(tab, reads.of(askedBy({ tool: tab.count?.tool ?? '', args: {} }))?.result?.value)} />
            {head}
          </div>
        )}
        <Tabs.Content
          value={shown.key}
          data-region={wide ? 'board' : undefined}
          className={`flex min-h-0 flex-1 flex-col outline-offset-[-2px] ${wide ? '' : 'overflow-y-auto'}`}
          {...(wide ? {} : { 'data-scroll': '' })}
        >
          <div className={`shrink-0 empty:hidden ${wide ? 'px-5 pt-3' : 'px-3.5 pt-3.5'}`}>
            <FieldProposal skill={panel.skill} hideable={!nothing} />
          </div>
          {top.map((part, place) => (
            <Part key={place} part={part} onRun={call} />
          ))}
          {importing.bar}
          <div className={wide ? 'flex min-h-0 flex-1' : 'flex flex-col'}>
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              <div data-scroll={wide ? '' : undefined} className={`flex min-h-0 flex-1 flex-col ${wide ? 'overflow-y-auto' : ''}`}>
                {rows.map((row, place) => (
                  <div
                    key={place}
                    className={
                      row.length === 1 && row[0]?.kind === 'board'
                        ? 'flex min-h-64 flex-1'
                        : `${row.length > 1 && wide ? 'grid grid-cols-[minmax(0,2.45fr)_minmax(0,1fr)]' : 'flex flex-col'} ${place < rows.length - 1 ? 'border-b border-line' : ''} [&>*+*]:border-line ${wide ? '[&>*+*]:border-l' : '[&>*+*]:border-t'}`
                    }
                  >
                    {row.map((part, index) => (
                      <Part key={index} part={part} onRun={call} />
                    ))}
                  </div>
                ))}
              </div>
              <div className={`flex shrink-0 flex-col gap-1.5 empty:hidden ${wide ? 'px-5 pb-3' : 'p-3.5'}`}>
                <ProblemBars problems={problems} />
                <CallBars calls={calls} elsewhere={form === null ? null : inForm} onEdit={editCall} />
              </div>
            </div>
            {side.length > 0 && (
              <aside aria-label="Beside" className={wide ? 'w-75 shrink-0 overflow-y-auto border-l border-line' : 'border-t border-line'}>
                {side.map((part, place) => (
                  <Part key={place} part={part} onRun={call} />
                ))}
              </aside>
            )}
          </div>
        </Tabs.Content>
        {form && (
          <ToolSheet
            key={form.number}
            fill={form}
            running={calls.calls.find(({ id, result }) => id === inForm && result === null) ?? null}
            onRun={callFromForm}
            onStop={calls.stop}
            onTold={(id) => calls.dismiss({ id })}
            onClose={() => setForm(null)}
          />
        )}
      </Tabs.Root>
      {importing.sheet}
    </PanelProvider>
  );
}

function Part({ part, onRun }: { part: PanelPart; onRun: (label: string, tool: string, args: Row) => Promise<Outcome> }) {
  switch (part.kind) {
    case 'summary':
      return <SummaryView part={part} />;
    case 'table':
      return <TableView part={part} />;
    case 'board':
      return <BoardView part={part} />;
    case 'list':
      return <ListView part={part} />;
    case 'chart':
      return <ChartView part={part} />;
    case 'form':
      return <FormView part={part} onRun={onRun} />;
  }
}

function FormView({ part, onRun }: { part: Extract<PanelPart, { kind: 'form' }>; onRun: (label: string, tool: string, args: Row) => Promise<Outcome> }) {
  const title = part.title || 'Run';
  const { asked } = usePanel();
  const { tool, args } = asked(part);
  return (
    <section aria-label={title} className="p-4">
      {part.title !== '' && <h2 className="pb-2 text-ui font-semibold">{part.title}</h2>}
      <ToolFields tool={tool} args={args} action={title} onRun={(filled) => void onRun(title, tool, asRow(filled))} />
    </section>
  );
}

function TabList({ tabs, value }: { tabs: readonly ShownTab[]; value: (tab: ShownTab['tab']) => string }) {
  if (tabs.length < 2) return null;
  return (
    <Tabs.List aria-label="Views" className="inline-flex h-7 max-w-full shrink-0 overflow-x-auto rounded-control border border-line-strong">
      {tabs.map(({ key, title, tab }) => (
        <Tabs.Trigger
          key={key}
          value={key}
          className="min-w-0 border-l border-line-strong px-2.5 text-small whitespace-nowrap text-fg-2 first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] hover:bg-hover data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
        >
          {title} {value(tab)}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
  );
}

/** Back beside the conversation. */
function NarrowButton() {
  const { toggleWide } = useActions();
  return <IconButton icon="panel" label="Beside the chat" keys={keyText('Ctrl Shift .')} data-testid="narrow-panel" onClick={toggleWide} />;
}

/** A whole number, or the length of a list. */
function countOf({ count: declared }: ShownTab['tab'], value: JsonValue | null | undefined): string {
  if (!declared) return '';
  const found = at(value, declared.at);
  if (Array.isArray(found)) return count(rowsAt(value, declared.at).length);
  return found === undefined ? '' : textOf(found);
}

/** "Move Pinecrest second clinic to won" for a drop, "Log contact: Jane Doe" for a row. */
function labelOf(action: PanelAction, row: Row | undefined, column: string | undefined, tabs: readonly ShownTab[]): string {
  const title = row ? titleOfRow(row, tabs) : '';
  const label = action.label || 'Move';
  if (column !== undefined) return `${label} ${title} to ${column}`;
  return title === '' ? label : `${label}: ${title}`;
}

function titleOfRow(row: Row, tabs: readonly ShownTab[]): string {
  const fields = tabs.flatMap(({ tab }) =>
    tab.parts.flatMap((part) => (part.kind === 'board' || part.kind === 'list' ? [part.title] : part.kind === 'table' ? [part.columns[0]?.field ?? ''] : [])),
  );
  for (const field of fields) {
    const text = textOf(fieldOf(row, field));
    if (text !== '') return text;
  }
  return '';
}

function asRow(args: JsonValue): Row {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
}
