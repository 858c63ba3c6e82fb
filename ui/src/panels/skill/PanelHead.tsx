// The head of a declared panel: tabs, inputs, filter and buttons.

import { Tabs } from 'radix-ui';
import type { ReactNode } from 'react';

import type { JsonValue, PanelView } from '../../ipc';
import { count, Icon, IconButton, keyText, skillIcon, TextField, useMedia } from '../../shared';
import { useActions } from '../../state/hooks';
import { HeadAction } from './ActionButton';
import { at, rowsAt, textOf } from './answer';
import { usePanel } from './context';
import { InputField } from './Inputs';
import { homeOf, type ShownTab } from './layout';

interface PanelHeadProps {
  readonly panel: PanelView;
  readonly tabs: readonly ShownTab[];
  readonly shown: ShownTab;
  /** Whether there is room for the filter field. */
  readonly canFilter: boolean;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
}

export function PanelHead({ panel, tabs, shown, canFilter, filter, onFilter }: PanelHeadProps) {
  const { wide, inputs, choose } = usePanel();
  const roomy = useMedia('(min-width: 1100px)');
  const { inputs: own, actions, parts } = shown.tab;
  const chosen = own
    .filter((input) => homeOf(input, parts) === null)
    .map((input) => <InputField key={input.name} input={input} value={inputs[input.name] ?? ''} onChange={(value) => choose(input.name, value)} />);
  const buttons = actions.map((action, place) => <HeadAction key={action.label} action={action} small={wide && !roomy && place < actions.length - 1} />);
  if (!wide) {
    return (
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3.5 py-2 empty:hidden">
        <TabList tabs={tabs} />
        {chosen}
        {buttons}
      </div>
    );
  }
  return (
    <Header name={panel.name} icon={<Icon name={skillIcon(panel.skill, '', panel.icon)} />}>
      <TabList tabs={tabs} />
      {chosen}
      <span className="flex-1" />
      {canFilter && <Filter text={filter} onText={onFilter} />}
      {buttons}
    </Header>
  );
}

/** The head of a wide panel, with a button to make it narrow. */
export function Header({ name, icon, children }: { name: string; icon: ReactNode; children?: ReactNode }) {
  return (
    <header data-region="header" tabIndex={-1} aria-label={name} className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-2 border-b border-line py-2 pr-3 pl-5 max-medium:gap-x-1.5">
      {icon}
      <h1 className="shrink-0 text-body font-semibold">{name}</h1>
      {children}
      <span aria-hidden="true" className="h-4 w-px shrink-0 bg-line-strong max-medium:hidden" />
      <NarrowButton />
    </header>
  );
}

/** Collapsed to its icon in a narrow panel. */
function Filter({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <TextField
      icon="search"
      frame="line"
      type="search"
      aria-label="Filter"
      placeholder="Filter"
      className={`w-45 short:w-40 ${text === '' ? 'max-medium:not-focus-within:w-7' : ''}`}
      value={text}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || text === '') return;
        event.preventDefault();
        onText('');
      }}
    />
  );
}

function TabList({ tabs }: { tabs: readonly ShownTab[] }) {
  const { asked, read } = usePanel();
  if (tabs.length < 2) return null;
  const countOn = ({ count: declared }: ShownTab['tab']) => (declared ? countAt(declared.at, read(asked(declared))?.result?.value) : '');
  return (
    <Tabs.List aria-label="Views" className="inline-flex h-7 max-w-full shrink-0 overflow-x-auto rounded-control border border-line-strong">
      {tabs.map(({ key, title, tab }) => (
        <Tabs.Trigger
          key={key}
          value={key}
          className="min-w-0 border-l border-line-strong px-2.5 text-small whitespace-nowrap text-fg-2 first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] hover:bg-hover max-medium:px-1.5 data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
        >
          {title} {countOn(tab)}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
  );
}

/** Moves the panel back beside the conversation. */
function NarrowButton() {
  const { toggleWide } = useActions();
  return <IconButton icon="panel" label="Beside the chat" keys={keyText('Ctrl Shift .')} data-testid="narrow-panel" onClick={toggleWide} />;
}

/** A whole number, or the length of a list. */
function countAt(pointer: string, value: JsonValue | null | undefined): string {
  const found = at(value, pointer);
  if (Array.isArray(found)) return count(rowsAt(value, pointer).length);
  return found === undefined ? '' : textOf(found);
}
