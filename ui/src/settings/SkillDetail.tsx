// One skill's detail: the reason for its state, what it loads, tools, routing, statistics.

import { useEffect, type ReactNode } from 'react';

import type { SkillRow } from '../ipc';
import { Badge, count, ErrorBox, Icon, IconButton, LinkButton, Segments, skillIcon, skillStates, Switch, type Tone } from '../shared';
import { FieldProposal } from '../shared/FieldProposal';
import { useMedia } from '../shared/media';
import { Revealed } from '../shared/Revealed';
import { summaryOf } from '../shared/sentence';
import { useApp, useRpc } from '../state/hooks';
import { MailboxesPart } from './mailboxes/MailboxesPart';
import { Part } from './Part';
import { withoutKey } from './own-config';
import { SkillConfig } from './SkillConfig';
import { SkillHealth } from './SkillHealth';
import { isOn, needsAttention, remedyOf, sourceName, worksInPart, type Remedy, withoutCommands } from './skill-rows';
import { SkillRecords } from './SkillRecords';
import { SkillReview } from './SkillReview';
import { SkillRouting } from './SkillRouting';
import { SkillSignIns } from './SkillSignIns';
import { SkillTools } from './SkillTools';
import { TokenBar } from './TokenBar';
import type { Change, Skills } from './useSkills';

interface SkillDetailProps {
  readonly row: SkillRow;
  /** Returns to the list if it is not shown beside; none while nothing was chosen. */
  readonly onBack?: () => void;
  readonly onToggle: (on: boolean) => void;
  readonly onSet: (change: Change) => void;
  readonly onRemedy: (remedy: Remedy) => void;
  /** Like `onSet`; returns the error. */
  readonly attempt: Skills['attempt'];
  /** Its id belongs to another skill, so data by that id is the other one's. */
  readonly shadowed?: boolean;
  /** Current time, ms. */
  readonly now: number;
  /** Messages about the last switch, shown below the header. */
  readonly children?: ReactNode;
}

export function SkillDetail({ row, onBack, onToggle, onSet, onRemedy, attempt, shadowed = false, now, children }: SkillDetailProps) {
  useEscape(onBack);
  const revision = useApp(({ revisions }) => revisions.registry);
  const detail = useRpc('skill_detail', shadowed ? null : { skill: row.id }, revision);
  const remedy = shadowed ? null : remedyOf(row);
  const hasMailboxes = !shadowed && row.id === 'mail' && row.source === 'native';
  const form = hasMailboxes && detail.data ? withoutKey(detail.data, 'mailboxes') : detail.data;
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
        {!shadowed && (
          <>
            <span className="text-small text-fg-3">{isOn(row) ? 'On' : 'Off'}</span>
            <Switch checked={isOn(row)} onChange={onToggle} label={`${row.name} on`} testId="skill-detail-switch" />
          </>
        )}
      </header>
      <div className="selectable min-h-0 flex-1 overflow-y-auto text-small">
        {children}
        <Part>
          <About row={row} />
          {row.reason && needsAttention(row) && (
            <p role="status" className="mt-3 flex gap-2 rounded-card bg-warn-soft px-3 py-2">
              <Icon name="warn" size={14} className="mt-0.5 text-warn" />
              <span className="min-w-0 flex-1 break-words">{withoutCommands(row.reason)}</span>
              {(remedy?.to === 'credentials' || remedy?.to === 'file' || remedy?.to === 'server') && <LinkButton onClick={() => onRemedy(remedy)}>{remedy.label}</LinkButton>}
            </p>
          )}
          {row.foreign && row.source !== 'mcp' && row.state === 'needs_review' && (
            <SkillReview skill={row.id} onLeaveOff={() => onToggle(false)} />
          )}
          {!shadowed && <Facts row={row} onSet={onSet} />}
        </Part>
        {!shadowed && row.state === 'available' && (
          <div className="px-4 pt-3 empty:hidden">
            <FieldProposal skill={row.id} />
          </div>
        )}
        {detail.error && (
          <Part>
            <ErrorBox error={detail.error} actions={<LinkButton onClick={detail.reload}>Try again</LinkButton>} />
          </Part>
        )}
        {hasMailboxes && <MailboxesPart problem={form?.config_schema ? null : (detail.data?.config_problem ?? null)} />}
        {!shadowed && !hasMailboxes && row.source === 'native' && <SkillSignIns skill={row.id} />}
        {!shadowed && <SkillRecords row={row} />}
        {!shadowed && <SkillTools row={row} detail={detail.data} attempt={attempt} />}
        {row.hints.length > 0 && (
          <Part title="Hints" note="when the model should use it">
            <ul className="flex flex-col gap-0.5">
              {row.hints.map((hint) => (
                <Hint key={hint} hint={hint} />
              ))}
            </ul>
          </Part>
        )}
        <SkillRouting row={row} />
        {form?.config_schema && <SkillConfig detail={form} name={row.name} attempt={attempt} />}
        {!shadowed && <SkillHealth row={row} detail={detail.data} now={now} />}
      </div>
    </div>
  );
}

/** Its purpose for users; the model's description on request, or at once if it needs approval. */
function About({ row }: { row: SkillRow }) {
  if (row.description === '') return <p className="text-ui text-fg-2">No description. Its file could not be read.</p>;
  const summary = summaryOf(row);
  const short = /[\p{L}\p{N})]$/u.test(summary) ? `${summary}.` : summary;
  if (short === row.description) return <p className="text-ui text-fg-2">{short}</p>;
  return (
    <>
      <p className="text-ui text-fg-2">{short}</p>
      <details className="mt-1.5" open={row.state === 'needs_review'}>
        <summary className="w-fit cursor-pointer text-fg-3 hover:text-fg-2">What the model sees</summary>
        <p className="mt-1 text-fg-2">
          <Revealed text={row.description} />
        </p>
      </details>
    </>
  );
}

/** If the detail is its own page, Esc returns to the list before it leaves the settings. */
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

function Facts({ row, onSet }: { row: SkillRow; onSet: (change: Change) => void }) {
  const { catalog, instructions, schemas } = row.tokens;
  const always = row.mode === 'always';
  const whole = instructions + schemas;
  return (
    <>
      <dl className="mt-3 grid grid-cols-[100px_1fr] items-center gap-y-2">
        <Fact
          name="Loads"
          value={
            <Segments
              label="Loads"
              value={always ? 'always' : 'on_demand'}
              options={[
                { value: 'always', label: 'Always' },
                { value: 'on_demand', label: 'On demand' },
              ]}
              onChange={(mode) => onSet({ mode })}
            />
          }
          note={always ? `${count(catalog + whole)} tokens in every request` : `${count(catalog)} tokens until then`}
        />
        {!always && (
          <Fact
            name="Stays for"
            value={
              <Segments
                label="Stays for"
                value={row.lifetime === 'turn' ? 'turn' : 'session'}
                options={[
                  { value: 'session', label: 'This chat' },
                  { value: 'turn', label: 'This turn' },
                ]}
                onChange={(lifetime) => onSet({ lifetime })}
              />
            }
            note={`${count(whole)} tokens while active`}
          />
        )}
        <Fact
          name="Instructions"
          value={<span className="font-medium">{count(instructions)} tokens</span>}
          note={`and ${count(schemas)} for the schemas of its tools`}
        />
        <Fact name="From" value={<span className="font-medium">{row.foreign ? 'Elsewhere' : sourceName(row.source)}</span>} note={row.tags.join(', ')} />
      </dl>
      <TokenBar tokens={row.tokens} scale={catalog + whole} className="mt-3 h-1.5 rounded-full" />
    </>
  );
}

function Fact({ name, value, note }: { name: string; value: ReactNode; note: string }) {
  return (
    <div className="contents">
      <dt className="text-fg-2">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {value} <span className="text-fg-3">{note}</span>
      </dd>
    </div>
  );
}

/** Splits `Not for: pull up UBER (use lookup)` into the phrase and its target, if any. */
function Hint({ hint }: { hint: string }) {
  const [, phrase, instead] = /^Not for: (.*?)(?: \(use ([^()]+)\))?$/.exec(hint) ?? [];
  const against = phrase !== undefined || /^not (for|when)\b/i.test(hint);
  return (
    <li className="flex gap-2">
      <Icon name={against ? 'ban' : 'check'} size={12} className={`mt-0.75 ${against ? 'text-fg-3' : 'text-ok'}`} />
      {phrase === undefined ? (
        <span>{hint}</span>
      ) : (
        <span>
          <span className="sr-only">Not for </span>“{phrase}”
          {instead !== undefined && (
            <>
              {' '}
              <Icon name="arrow-right" size={12} className="inline align-[-0.125em] text-fg-3" />
              <span className="sr-only">but for</span> <span className="font-mono">{instead}</span>
            </>
          )}
        </span>
      )}
    </li>
  );
}
