import { Tabs } from 'radix-ui';
import { useRef, useState, type ReactNode } from 'react';

import { Badge, Button, count, counted, IconButton, keyText, Popover, TextField } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { keyOf } from '../skill/state';
import { Header } from '../skill/PanelHead';
import { useScreener } from './context';
import { changesOf, draftOf, emptyDraft } from './draft';
import { scanArgs, type Tab } from './state';

/** Name and state of the open screen, tabs, Save and Scan. */
export function ScreenerHead({ name, icon }: { name: string; icon: ReactNode }) {
  const { wide, room, opened, state, dispatch } = useScreener();
  const fields = (
    <>
      {room !== 'one' && wide && (
        <span className="cut text-fg-2">
          <Revealed text={opened.name || 'New screen'} />
        </span>
      )}
      {room !== 'one' && <NotSaved />}
      {room !== 'three' && <TabList />}
      <span className="flex-1" />
      {room === 'three' && state.testClosed && (
        <Button icon="chart" onClick={() => dispatch({ type: 'test', closed: false })}>
          Back-test
        </Button>
      )}
      <Save />
      {room !== 'one' && <SaveAs />}
      <Scan />
    </>
  );
  if (wide) {
    return (
      <Header name={name} icon={icon}>
        {fields}
      </Header>
    );
  }
  return <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3.5 py-2">{fields}</div>;
}

/** Counts unsaved changes. */
export function NotSaved() {
  const { opened } = useScreener();
  if (!opened.isChanged) return null;
  const changes = changesOf(opened.saved ? draftOf(opened.saved) : emptyDraft, opened.draft).length;
  return (
    <Badge tone="warn" icon="pencil">
      {opened.saved ? `${counted(Math.max(1, changes), 'change')} not saved` : 'not saved'}
    </Badge>
  );
}

function TabList() {
  const { room, opened, scan } = useScreener();
  const tabs: readonly { readonly tab: Tab; readonly title: string; readonly count?: number }[] = [
    ...(room === 'one' ? [{ tab: 'conditions' as const, title: 'Conditions', count: opened.draft.conditions.length }] : []),
    { tab: 'hits', title: 'Hits', count: scan?.found ?? 0 },
    { tab: 'test', title: 'Back-test' },
  ];
  return (
    <Tabs.List aria-label="Views" className="inline-flex h-7 max-w-full shrink-0 overflow-x-auto rounded-control border border-line-strong">
      {tabs.map(({ tab, title, count: size = 0 }) => (
        <Tabs.Trigger
          key={tab}
          value={tab}
          className="min-w-0 border-l border-line-strong px-2.5 text-small whitespace-nowrap text-fg-2 first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] hover:bg-hover data-[state=active]:bg-selected data-[state=active]:font-medium data-[state=active]:text-fg"
        >
          {title} {size > 0 && count(size)}
        </Tabs.Trigger>
      ))}
    </Tabs.List>
  );
}

/** Writes the screen's note; a new screen asks for a name. */
function Save() {
  const { opened, save, canSave } = useScreener();
  const isAble = opened.isChanged && opened.draft.conditions.length > 0 && canSave;
  if (opened.saved === null) return <SaveAs label="Save" isAble={isAble} />;
  return (
    <Button disabled={!isAble} onClick={() => save(opened.name)}>
      Save
    </Button>
  );
}

export function SaveAs({ label = 'Save as…', isAble = true }: { label?: string; isAble?: boolean }) {
  const { save, opened, canSave, screens } = useScreener();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  const name = text.trim();
  const taken = screens.screens.some((screen) => screen.name.toLowerCase() === name.toLowerCase());
  const problem = taken ? `There is already a screen ${name}. Choose another name.` : /[\\/:#^[\]|?*"<>]/.test(name) ? 'It names a note, so leave out / \\ : # ^ [ ] |' : null;
  if (!canSave) return null;
  return (
    <Popover
      label={label}
      open={open}
      onOpenChange={(now) => {
        setOpen(now);
        setText('');
      }}
      returnTo={() => button.current}
      trigger={
        <Button ref={button} disabled={!isAble || opened.draft.conditions.length === 0}>
          {label}
        </Button>
      }
    >
      <form
        className="flex w-72 flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (name === '' || problem !== null) return;
          setOpen(false);
          save(name);
        }}
      >
        <div className="flex items-center gap-2">
          <TextField aria-label="Name of the screen" placeholder="Name, such as Low debt" data-first-focus="" invalid={problem !== null} className="flex-1" value={text} onChange={(event) => setText(event.target.value)} />
          <Button type="submit" disabled={name === '' || problem !== null}>
            Save
          </Button>
        </div>
        {problem !== null && (
          <p role="alert" className="text-small text-danger">
            {problem}
          </p>
        )}
      </form>
    </Popover>
  );
}

/** Starts a scan, or restarts it with the changes. */
function Scan() {
  const { scanning, opened, startScan, wide } = useScreener();
  const isSame = scanning !== null && keyOf({ tool: '', args: scanning.run.asked.args }) === keyOf({ tool: '', args: scanArgs(opened) });
  const isRunning = scanning?.isRunning === true && isSame && !scanning.run.stopping;
  const label = scanning === null ? 'Scan' : 'Start again';
  const isOff = opened.draft.conditions.length === 0 || isRunning;
  const tip = opened.draft.conditions.length === 0 ? 'Add a condition' : isRunning ? 'This scan is running' : undefined;
  if (!wide) return <IconButton icon={scanning === null ? 'play' : 'refresh'} label={label} keys={keyText('Ctrl ↵')} disabled={isOff} onClick={startScan} />;
  return (
    <Button icon={scanning === null ? 'play' : 'refresh'} disabled={isOff} data-tip={tip ?? label} data-tip-keys={keyText('Ctrl ↵')} onClick={startScan}>
      {label}
    </Button>
  );
}
