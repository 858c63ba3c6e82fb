// Everything about one skill: why it is in its state, what it loads, its tools, when it is meant, how it did.

import { useEffect, type ReactNode } from 'react';

import { nothing, type SkillRow } from '../ipc';
import {
  Badge,
  count,
  durationText,
  EffectBadge,
  Icon,
  IconButton,
  LinkButton,
  skillIcon,
  skillStates,
  Switch,
  type Tone,
  troubleOf,
  whenText,
} from '../shared';
import { useMedia } from '../shared/media';
import { useActions, useApp, useRpc } from '../state/hooks';
import { isOn, loadsText, needsAttention, sourceName, worksInPart } from './skill-rows';
import { SkillReview } from './SkillReview';
import { TokenBar } from './TokenBar';

interface SkillDetailProps {
  readonly row: SkillRow;
  /** To the list, where it is not beside; none while nothing was chosen. */
  readonly onBack?: () => void;
  readonly onToggle: (on: boolean) => void;
}

export function SkillDetail({ row, onBack, onToggle }: SkillDetailProps) {
  useEscape(onBack);
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
        <span className="contents settings:hidden">
          <IconButton
            icon="chevron-left"
            label="Back to all skills"
            className="-ml-2"
            onClick={onBack}
            data-testid="skill-back"
          />
        </span>
        <Icon name={skillIcon(row.id, row.source)} />
        <h2 className="cut text-body font-semibold">{row.name}</h2>
        <span className="text-small text-fg-3">{row.version}</span>
        <StateBadge row={row} />
        <span className="flex-1" />
        <span className="text-small text-fg-3">{isOn(row) ? 'On' : 'Off'}</span>
        <Switch checked={isOn(row)} onChange={onToggle} label={`${row.name} on`} testId="skill-detail-switch" />
      </header>
      <div className="selectable min-h-0 flex-1 overflow-y-auto text-small">
        <Part>
          <p className="text-ui text-fg-2">{row.description || 'No description: its file could not be read.'}</p>
          {row.reason && needsAttention(row) && (
            <p role="status" className="mt-3 flex gap-2 rounded-card bg-warn-soft px-3 py-2">
              <Icon name="warn" size={14} className="mt-0.5 text-warn" />
              <span className="min-w-0 break-words">{row.reason}</span>
            </p>
          )}
          {row.foreign && row.state === 'needs_review' && <SkillReview skill={row.id} />}
          <Facts row={row} />
        </Part>
        <Tools row={row} />
        {row.hints.length > 0 && (
          <Part title="Hints" note="when it is meant">
            <ul className="flex flex-col gap-0.5">
              {row.hints.map((hint) => (
                <li key={hint} className="flex gap-2">
                  <Icon
                    name={isNotFor(hint) ? 'ban' : 'check'}
                    size={12}
                    className={`mt-0.75 ${isNotFor(hint) ? 'text-fg-3' : 'text-ok'}`}
                  />
                  {hint}
                </li>
              ))}
            </ul>
          </Part>
        )}
        {row.examples.length > 0 && (
          <Part title="Routing examples" note="requests that are meant to reach it">
            <ul className="flex flex-col gap-0.5">
              {row.examples.map((example) => (
                <li key={example}>“{example}”</li>
              ))}
            </ul>
          </Part>
        )}
        <Health row={row} />
      </div>
    </div>
  );
}

/** Where the detail is a page, Esc leads to the list before it leaves the settings. */
function useEscape(onBack: (() => void) | undefined) {
  const beside = useMedia('(min-width: 1380px)');
  useEffect(() => {
    if (beside || !onBack) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      onBack();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [beside, onBack]);
}

function Part({ title, note, children }: { title?: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section className="border-b border-line px-4 py-3.5 last:border-b-0">
      {title && (
        <h3 className="mb-1.5">
          <span className="font-semibold">{title}</span> <span className="ml-1 text-fg-3">{note}</span>
        </h3>
      )}
      {children}
    </section>
  );
}

function StateBadge({ row }: { row: SkillRow }) {
  const tones: Record<string, Tone> = {
    'bg-ok': 'ok',
    'bg-accent': 'accent',
    'bg-warn': 'warn',
    'bg-danger': 'danger',
  };
  const { dot, word } = skillStates[row.state];
  return (
    <Badge
      tone={worksInPart(row) ? 'warn' : (tones[dot] ?? 'grey')}
      {...(needsAttention(row) ? { icon: 'warn' as const } : row.state === 'disabled' ? {} : { icon: 'check' as const })}
    >
      {word}
    </Badge>
  );
}

function Facts({ row }: { row: SkillRow }) {
  const { catalog, instructions, schemas } = row.tokens;
  const always = row.mode === 'always';
  const facts: [string, string, string][] = [
    ['Loads', loadsText(row), always ? '' : `${count(catalog)} tokens until then`],
    ...(always
      ? []
      : ([
          [
            'Stays for',
            row.lifetime === 'turn' ? 'This turn' : 'This chat',
            `${count(instructions + schemas)} tokens while active`,
          ],
        ] as [string, string, string][])),
    ['Instructions', `${count(instructions)} tokens`, `and ${count(schemas)} for the schemas of its tools`],
    ['From', sourceName(row.source), row.tags.join(', ')],
  ];
  return (
    <>
      <dl className="mt-3 grid grid-cols-[100px_1fr] gap-y-1">
        {facts.map(([name, value, note]) => (
          <div key={name} className="contents">
            <dt className="text-fg-2">{name}</dt>
            <dd>
              <span className="font-medium">{value}</span> <span className="ml-1.5 text-fg-3">{note}</span>
            </dd>
          </div>
        ))}
      </dl>
      <TokenBar tokens={row.tokens} scale={catalog + instructions + schemas} className="mt-3 h-1.5 rounded-full" />
    </>
  );
}

function Tools({ row }: { row: SkillRow }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const tools = useRpc('list_tools', nothing, revision);
  const { show } = useActions();
  const own = (tools.data ?? []).filter(({ skill }) => skill === row.id);
  // What the whole skill is, is said above it; here is what one tool is beside that.
  const troubles = new Map(
    own.map((tool) => [tool.name, tool.state === row.state && tool.state !== 'available' ? null : troubleOf(tool)]),
  );
  // Tools that cannot be called are listed with those that can.
  const stuck = own.filter(({ name }) => troubles.get(name)?.usable === false);
  const names = [...new Set([...row.tools, ...stuck.map(({ name }) => name)])];
  if (names.length === 0) return null;
  const usable = names.length - stuck.length;
  const note = usable === names.length ? 'each can be run through a form' : `of which ${usable} can be run through a form`;
  const short = (name: string) => (name.startsWith(`${row.id}.`) ? name.slice(row.id.length + 1) : name);
  return (
    <Part title="Tools" note={`${names.length}, ${note}`}>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-x-6 gap-y-1">
        {names.map((name) => {
          const tool = own.find((one) => one.name === name);
          const trouble = troubles.get(name) ?? null;
          return (
            <li
              key={name}
              data-testid="skill-tool"
              data-tool={name}
              className={trouble ? 'col-span-full' : ''}
              title={tool?.description}
            >
              <div className="flex h-6 items-center gap-2">
                <LinkButton
                  className="cut flex-1 text-left font-mono font-normal text-fg!"
                  onClick={() => show({ kind: 'run-tool', tool: name })}
                >
                  {short(name)}
                </LinkButton>
                {trouble && (
                  <Badge tone={trouble.tone} {...(trouble.tone === 'grey' ? {} : { icon: 'warn' as const })}>
                    {trouble.word}
                  </Badge>
                )}
                {tool && (trouble === null || trouble.usable) && <EffectBadge effect={tool.effect} />}
              </div>
              {trouble && trouble.message !== '' && <p className="mb-1 break-words text-fg-2">{trouble.message}</p>}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

function Health({ row }: { row: SkillRow }) {
  const { activations, calls, errors, mean_ms, last_used } = row.usage;
  const figures: [string, string][] = [
    [count(calls), calls === 1 ? 'call' : 'calls'],
    [count(errors), errors === 1 ? 'error' : 'errors'],
    ...(mean_ms === null ? [] : ([[durationText(mean_ms), 'mean']] as [string, string][])),
    [count(activations), activations === 1 ? 'activation' : 'activations'],
  ];
  return (
    <Part title="Health">
      {calls + activations === 0 ? (
        <p className="text-fg-3">Never used</p>
      ) : (
        <p className="flex flex-wrap gap-x-5">
          {figures.map(([figure, name]) => (
            <span key={name}>
              <span className="tabular font-semibold">{figure}</span> <span className="text-fg-2">{name}</span>
            </span>
          ))}
          <span className="flex-1" />
          {last_used && <span className="text-fg-3">last {whenText(last_used)}</span>}
        </p>
      )}
    </Part>
  );
}

function isNotFor(hint: string): boolean {
  return /^not (for|when)\b/i.test(hint);
}
