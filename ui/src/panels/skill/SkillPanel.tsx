// A skill's panel, rendered from its declaration: beside or in place of the conversation.

import { Tabs } from 'radix-ui';
import { useState } from 'react';

import type { PanelView } from '../../ipc';
import { Empty, useMedia } from '../../shared';
import { FieldProposal } from '../../shared/FieldProposal';
import { useEditNote } from '../../state/editNote';
import { useActions, useApp } from '../../state/hooks';
import { importOf } from '../import/action';
import { usePanelImport } from '../import/PanelImport';
import { CalendarPanel } from '../calendar/CalendarPanel';
import { MailPanel } from '../mail/MailPanel';
import { ScreenerPanel } from '../screener/ScreenerPanel';
import { SymbolPanel } from '../symbol/SymbolPanel';
import { at, fill, isEmpty, pointersAt, problemsIn, textOf } from './answer';
import { PanelProvider, type PanelContext } from './context';
import { firstChosen, type Chosen } from './Inputs';
import { homeOf, tabsOf, type ShownTab } from './layout';
import { OwnPanel, ownPanels } from './own';
import { PanelBody } from './PanelBody';
import { PanelHead } from './PanelHead';
import { keyOf } from './state';
import { useActs } from './useActs';
import { useReads } from './useReads';

interface SkillPanelProps {
  readonly panel: PanelView;
  /** Whether it replaces the conversation. */
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
  const [first] = panel.panel.tabs[0]?.parts ?? [];
  if (first?.kind === 'calendar') return <CalendarPanel panel={panel} part={first} wide={wide} />;
  if (first?.kind === 'mail') return <MailPanel panel={panel} part={first} wide={wide} />;
  if (first?.kind === 'symbol') return <SymbolPanel panel={panel} part={first} wide={wide} />;
  if (first?.kind === 'screener') return <ScreenerPanel panel={panel} part={first} wide={wide} />;
  return <Declared panel={panel} wide={wide} />;
}

function Declared({ panel, wide }: SkillPanelProps) {
  const today = useApp((app) => app.status?.today ?? '');
  const roomy = useMedia('(min-width: 1100px)');
  const { openNote } = useActions();
  const editNote = useEditNote();

  const tabs = tabsOf(panel.panel.tabs, !wide || roomy);
  const [tabKey, setTabKey] = useState('0');
  const shown = tabs.find(({ key }) => key === tabKey) ?? tabs[0];
  /** Filter text by tab. */
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>({});
  const { inputs, choose } = useChosen(shown, today);

  const nameOf = (tool: string) => (tool.includes('.') ? tool : `${panel.skill}.${tool}`);
  const askedBy: PanelContext['asked'] = ({ tool, args }) => ({ tool: nameOf(tool), args: fill(args, [inputs]) });
  const parts = shown ? partsOf(shown) : [];
  const asked = parts.flatMap((part) => (part.kind === 'form' ? [] : [askedBy(part)]));
  const counts = tabs.flatMap(({ tab }) => (tab.count ? [askedBy(tab.count)] : []));
  const reads = useReads([...asked, ...counts]);

  const setFilter = (text: string) => setFilters((old) => ({ ...old, [shown?.key ?? '']: text }));
  const importAction = importOf(panel);
  const importing = usePanelImport(panel.skill, importAction?.tool == null ? null : nameOf(importAction.tool), reads.again, setFilter);
  const acts = useActs({ skill: panel.skill, today, inputs, tabs, nameOf, again: reads.again, openImport: importing.open });
  if (!shown) return null;

  const answers = [...new Set(asked.map(keyOf))].map((key) => reads.all[key]?.result?.value);
  /** Whether there is room for the filter field. */
  const canFilter = wide && parts.some(({ kind }) => kind === 'table' || kind === 'board' || kind === 'list');
  const filter = filters[shown.key] ?? '';
  const context: PanelContext = {
    skill: panel.skill,
    today,
    wide,
    filter: canFilter ? filter : '',
    asked: askedBy,
    openTab: (title) => setTabKey(tabs.find((one) => one.title === title)?.key ?? tabKey),
    read: (one) => reads.of(one),
    again: reads.again,
    act: acts.act,
    openNote,
    editNote,
    inputs,
    inputsAt: (part) => shown.tab.inputs.filter((input) => homeOf(input, shown.tab.parts) === part),
    choose,
    among: (pointers) => [...new Set(answers.flatMap((value) => pointers.flatMap((pointer) => pointersAt(value, pointer).map((one) => textOf(at(value, one))))))].filter(Boolean),
  };
  const nothing = isEmpty(parts, (part) => reads.of(askedBy(part))?.result?.value);
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
        <PanelHead panel={panel} tabs={tabs} shown={shown} canFilter={canFilter} filter={filter} onFilter={setFilter} />
        <Tabs.Content
          value={shown.key}
          data-region={wide ? 'board' : undefined}
          className={`flex min-h-0 flex-1 flex-col outline-offset-[-2px] ${wide ? '' : 'overflow-y-auto'}`}
          {...(wide ? {} : { 'data-scroll': '' })}
        >
          <div className={`shrink-0 empty:hidden ${wide ? 'px-5 pt-3' : 'px-3.5 pt-3.5'}`}>
            <FieldProposal skill={panel.skill} hideable={!nothing} />
          </div>
          <PanelBody layout={shown.layout} acts={acts} problems={problemsIn(answers)} imported={importing.bar} />
        </Tabs.Content>
        {acts.sheet}
      </Tabs.Root>
      {importing.sheet}
    </PanelProvider>
  );
}

/** The values of a tab's inputs; tabs with the same inputs share them. */
function useChosen(shown: ShownTab | undefined, today: string) {
  const [chosen, setChosen] = useState<Readonly<Record<string, Chosen>>>({});
  const own = shown?.tab.inputs ?? [];
  const key = own.map(({ name }) => name).join();
  return {
    inputs: { ...firstChosen(own, today), ...chosen[key] },
    choose: (name: string, value: string) => setChosen((old) => ({ ...old, [key]: { ...old[key], [name]: value } })),
  };
}

function partsOf({ layout: { top, brief, rows, side, foot } }: ShownTab) {
  return [...top, ...brief, ...rows.flat(), ...side, ...foot];
}
