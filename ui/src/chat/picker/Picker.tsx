// Skills on the left, the tools of the marked one on the right. The field keeps the focus.

import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { Badge, counted, EffectBadge, Icon, type IconName, Kbd, keyText, LinkButton, Loading, skillIcon } from '../../shared';
import { metaOf } from '../../shared/form/plan';
import { planOf } from '../../shared/form/schema';
import { type SkillChoice, type ToolChoice, toolsOf } from './choices';
import type { Range } from '../../shared/letters';
import { Marked, parts } from '../../shared/Marked';
import { summaryOf } from '../../shared/sentence';
import { startingPrompt } from './prompt';
import type { Picker as PickerState } from './usePicker';
import type { ServerPrompt } from '../../ipc';
import { Revealed } from '../../shared/Revealed';

/** Maximum rows per column; a server with a thousand tools is searched, not scrolled. */
const MOST = 100;

export function Picker({ picker }: { picker: PickerState }) {
  const { id, choices, marked, query } = picker;
  const [ref, room] = useRoomAbove();
  const lettered = choices.filter(({ by }) => by === 'letters');
  const meant = choices.filter(({ by }) => by === 'meaning');
  return (
    <div
      ref={ref}
      data-testid="picker"
      style={{ maxHeight: room }}
      // Clicks do not move the focus from the field.
      onMouseDown={(event) => event.preventDefault()}
      className="absolute bottom-full left-1/2 z-30 mb-3.5 flex h-106 w-190 max-w-[calc(100%+2.5rem)] -translate-x-1/2 animate-pop flex-col overflow-hidden rounded-pop border border-line-strong bg-surface-raised text-ui text-fg shadow-2 short:h-80"
    >
      <div className="flex min-h-0 flex-1">
        <div className="flex w-64 max-w-[44%] shrink-0 flex-col border-r border-line bg-surface-side p-1.5">
          <div role="listbox" id={`${id}-skills`} aria-label="Skills" className="min-h-0 overflow-y-auto">
            {lettered.length > 0 && <Group label="Skills" choices={lettered} picker={picker} from={0} />}
            {meant.length > 0 && <Group label="By meaning" choices={meant} picker={picker} from={lettered.length} />}
          </div>
          {picker.loading && (
            <div className="p-2">
              <Loading lines={4} label="Reading the tools" />
            </div>
          )}
          {!picker.loading && !picker.problem && choices.length === 0 && (
            <p className="px-2 py-1.5 text-small text-fg-3">
              {query === '' ? 'No skills yet. Skills provide tools.' : `No skill or tool for “${query}”.`}
            </p>
          )}
          {picker.meaningProblem && (
            <p className="px-2 py-1.5 text-small text-fg-3">Not searched by meaning: {picker.meaningProblem.message}</p>
          )}
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          {picker.problem ? (
            <p className="selectable p-3.5 text-small text-danger" role="alert">
              {picker.problem.message} {picker.problem.hint}
            </p>
          ) : (
            marked.skill && <Tools picker={picker} skill={marked.skill} />
          )}
        </div>
      </div>
      <Keys />
      <p className="sr-only" aria-live="polite" data-testid="picker-announcement">
        {announced(picker)}
      </p>
    </div>
  );
}

/** The ids of the existing listboxes. */
export function listboxes({ id, marked, problem }: PickerState): string {
  return marked.skill && !problem ? `${id}-skills ${id}-tools` : `${id}-skills`;
}

/** The id of the option that Enter chooses. */
export function activeOption({ id, choices, marked }: PickerState): string | undefined {
  if (!marked.skill) return undefined;
  if (marked.column === 'skills') return `${id}-skill-${choices.indexOf(marked.skill)}`;
  return marked.tool ? `${id}-tool-${toolsOf(marked.skill).indexOf(marked.tool)}` : undefined;
}

function Group({ label, choices, picker, from }: { label: string; choices: readonly SkillChoice[]; picker: PickerState; from: number }) {
  const at = choices.findIndex((choice) => choice === picker.marked.skill);
  const [shown, more] = capped(choices, at);
  return (
    <div role="group" aria-label={label} className="pb-2">
      <Heading>{label}</Heading>
      {shown.map((choice, index) => (
        <SkillOption key={choice.row.id} choice={choice} picker={picker} id={`${picker.id}-skill-${from + index}`} />
      ))}
      {more > 0 && <p className="px-2 py-1 text-small text-fg-3">{counted(more, 'more skill')}. Keep typing to find them.</p>}
    </div>
  );
}

function SkillOption({ choice, picker, id }: { choice: SkillChoice; picker: PickerState; id: string }) {
  const { row, able, reason } = choice;
  const current = picker.marked.skill === choice;
  const active = current && picker.marked.column === 'skills';
  const one = choice.fitting.length === 1 && picker.query !== '' ? choice.fitting[0] : undefined;
  return (
    <Option
      id={id}
      active={active}
      current={current}
      testId="picker-skill"
      data={{ 'data-skill': row.id, 'data-able': able }}
      onClick={() => picker.point(choice)}
      className={reason === null ? 'h-8' : 'h-12.5'}
    >
      <span className={`flex items-center gap-2.5 ${able ? '' : 'text-fg-3'}`}>
        <Icon name={skillIcon(row.id, row.source)} />
        <span className={`cut min-w-12 flex-1 ${current ? 'font-medium' : ''}`}>
          <Marked text={row.name} ranges={choice.name} able={able} />
        </span>
        <span className="cut max-w-[60%] shrink-0 text-meta text-fg-3">
          {one ? <Marked text={one.id} ranges={one.name} able={able} /> : toolCount(choice)}
        </span>
      </span>
      {reason !== null && <Reason state={row.state} reason={reason} className="pl-6.5" />}
    </Option>
  );
}

function toolCount({ able, fitting, others }: SkillChoice): string {
  const listed = fitting.length > 0 ? fitting : others;
  // The tools of a broken skill are unknown.
  return listed.length > 0 ? countedTools(listed) : able ? 'no tools' : '';
}

/** "8 tools, 2 prompts" */
function countedTools(listed: readonly ToolChoice[]): string {
  const prompts = listed.filter(({ row }) => row.prompt).length;
  const tools = listed.length - prompts;
  return [tools > 0 && counted(tools, 'tool'), prompts > 0 && counted(prompts, 'prompt')].filter(Boolean).join(', ');
}

function Tools({ picker, skill }: { picker: PickerState; skill: SkillChoice }) {
  const all = toolsOf(skill);
  const at = picker.marked.tool ? all.indexOf(picker.marked.tool) : -1;
  const [fitting, moreFitting] = capped(skill.fitting, at);
  const [others, moreOthers] = capped(skill.others, at - skill.fitting.length);
  const more = moreFitting + moreOthers;
  const option = (tool: ToolChoice, index: number, full: boolean) => (
    <ToolOption key={tool.row.name} tool={tool} skill={skill} picker={picker} full={full} id={`${picker.id}-tool-${index}`} />
  );
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col p-1.5">
        <p className="flex shrink-0 items-baseline gap-2 px-2 pt-2 pb-1 text-meta text-fg-2">
          <span className="shrink-0 font-semibold">{skill.row.name}</span>
          <span className="cut min-w-0 flex-1" data-tip={skill.row.description}>
            {summaryOf(skill.row)}
          </span>
          <span className="shrink-0">
            {picker.query !== '' && skill.fitting.length > 0 && all.length > 0
              ? `${skill.fitting.length} of ${all.length} ${skill.toolsMeant ? 'by meaning' : 'match'}`
              : all.length > 0 && countedTools(all)}
          </span>
        </p>
        <div role="listbox" id={`${picker.id}-tools`} aria-label={`Tools of ${skill.row.name}`} className="min-h-0 overflow-y-auto">
          {fitting.map((tool, index) => option(tool, index, true))}
          {skill.fitting.length > 0 && others.length > 0 && <Heading>Other tools</Heading>}
          {others.map((tool, index) => option(tool, skill.fitting.length + index, false))}
        </div>
        {more > 0 && <p className="px-2 py-1 text-small text-fg-3">{counted(more, 'more tool')}. Keep typing to find them.</p>}
        {all.length === 0 && (
          <p className="px-2 py-1.5 text-small text-fg-2">
            {skill.able
              ? `${skill.row.name} has instructions and no tools. Enter adds them to the message.`
              : `${skill.row.name} is unavailable.`}
          </p>
        )}
      </div>
      <Preview picker={picker} skill={skill} />
    </>
  );
}

function ToolOption({ tool, skill, picker, full, id }: { tool: ToolChoice; skill: SkillChoice; picker: PickerState; full: boolean; id: string }) {
  const current = picker.marked.skill === skill && picker.marked.tool === tool;
  const active = current && picker.marked.column === 'tools';
  const able = tool.able && skill.able;
  return (
    <Option
      id={id}
      active={active}
      // While a skill is marked, none of its tools is.
      current={false}
      testId="picker-tool"
      data={{ 'data-tool': tool.row.name, 'data-able': able }}
      onClick={() => picker.pick('insert', skill, tool)}
      className={full ? 'py-1' : 'py-1.25'}
    >
      <span className="flex items-center gap-3">
        <span className={`cut min-w-0 flex-1 font-mono text-small ${able ? (full ? 'text-fg' : 'text-fg-2') : 'text-fg-3'}`}>
          <Marked text={tool.id} ranges={tool.name} able={able} />
        </span>
        {tool.row.prompt ? <Badge tone="outline">prompt</Badge> : <EffectBadge effect={tool.row.effect} />}
      </span>
      {full && tool.sentence !== '' && (
        <span className={`cut block text-small ${able ? 'text-fg-2' : 'text-fg-3'}`}>
          <Marked text={tool.sentence} ranges={tool.described} able={able} />
        </span>
      )}
      {/* A reason of the skill is shown at the skill. */}
      {tool.reason !== null && skill.able && <Reason state={tool.row.state} reason={tool.reason} />}
    </Option>
  );
}

function Option({
  id,
  active,
  current,
  testId,
  data,
  onClick,
  className,
  children,
}: {
  id: string;
  /** Whether Enter chooses it. */
  active: boolean;
  /** Whether this skill's tools are shown. */
  current: boolean;
  testId: string;
  data: Record<string, string | boolean>;
  onClick: () => void;
  className: string;
  children: ReactNode;
}) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active || current) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [active, current]);
  return (
    <div
      ref={ref}
      role="option"
      id={id}
      aria-selected={active}
      data-testid={testId}
      {...data}
      onClick={onClick}
      className={`flex flex-col justify-center rounded-control px-2 ${active ? 'bg-accent-soft' : current ? 'bg-selected' : 'hover:bg-hover'} ${className}`}
    >
      {children}
    </div>
  );
}

/** The text that Enter would insert and the tool's parameters, or why it is unavailable. */
function Preview({ picker, skill }: { picker: PickerState; skill: SkillChoice }) {
  const tool = picker.marked.tool;
  const reason = !skill.able ? skill.reason : (tool?.reason ?? null);
  const prompt = useMemo(() => (tool && !tool.row.prompt ? startingPrompt(tool.row) : null), [tool]);
  if (reason !== null) {
    return (
      <div className="mx-1.5 flex items-baseline gap-2 border-t border-line px-2 py-2.5 text-small text-fg-2" data-testid="picker-remedy">
        <span className="min-w-0 flex-1">
          {skill.able ? tool?.id : skill.row.name}: {reason}.
        </span>
        <LinkButton tabIndex={-1} onClick={() => picker.pick('insert', skill, tool ?? undefined)}>
          Open its settings
        </LinkButton>
      </div>
    );
  }
  if (tool?.row.prompt) return <PromptPreview prompt={tool.row.prompt} />;
  if (!tool || !prompt) return null;
  const { fields } = planOf(tool.row.input_schema);
  const [first, ...rest] = fields.toSorted((a, b) => Number(b.required) - Number(a.required));
  return (
    <div className="mx-1.5 flex flex-col border-t border-line px-2 py-2.5 text-small text-fg-3" data-testid="picker-preview">
      <p className="line-clamp-2">
        Starts with <span className="pl-1 text-fg">“<Gapped text={prompt.text} gaps={prompt.gaps} />”</span>
      </p>
      {first && (
        <p className="cut">
          Takes <span className="px-1 font-mono text-fg">{first.key}</span> {[metaOf(first), first.help.replace(/\.$/, '')].filter(Boolean).join(', ')}
          {rest.length > 0 && `; and ${rest.length} more`}
        </p>
      )}
    </div>
  );
}

/** A server prompt's description and arguments. */
function PromptPreview({ prompt: { server, input_schema } }: { prompt: ServerPrompt }) {
  const fields = planOf(input_schema).fields.map(({ label, key, required }) => `${label || key}${required ? '' : ' (optional)'}`);
  return (
    <div className="mx-1.5 flex flex-col border-t border-line px-2 py-2.5 text-small text-fg-3" data-testid="picker-preview">
      <p className="line-clamp-2">
        Text from <Revealed text={server} />, sent with your message
      </p>
      {fields.length > 0 && (
        <p className="cut">
          Asks for <Revealed text={fields.join(', ')} />
        </p>
      )}
    </div>
  );
}

function Gapped({ text, gaps }: { text: string; gaps: readonly Range[] }) {
  return parts(text, gaps).map(({ from, part, inside }) =>
    inside ? (
      <span key={from} className="text-accent">
        {part.slice(1, -1)}
      </span>
    ) : (
      part
    ),
  );
}

const reasonIcons: Record<string, IconName> = {
  unavailable: 'key',
  needs_sign_in: 'lock',
  needs_review: 'warn',
  starting: 'clock',
  failed: 'failed',
  broken: 'failed',
  disabled: 'ban',
};

function Reason({ state, reason, className = '' }: { state: string; reason: string; className?: string }) {
  return (
    <span className={`flex items-center gap-1.5 text-small text-fg-3 ${className}`} data-tip={reason}>
      <Icon name={reasonIcons[state] ?? 'info'} size={12} />
      <span className="cut">{reason}</span>
    </span>
  );
}

function Heading({ children }: { children: ReactNode }) {
  return (
    <p aria-hidden="true" className="px-2 pt-2 pb-1 text-meta font-semibold text-fg-2">
      {children}
    </p>
  );
}

function Keys() {
  const hints: { keys: string[]; does: string; wide?: boolean }[] = [
    { keys: ['↑', '↓'], does: 'choose' },
    { keys: ['←', '→'], does: 'skills, tools' },
    { keys: ['↵'], does: 'insert' },
    { keys: [keyText('Ctrl ↵')], does: 'fill in a form' },
    { keys: [keyText('Shift ↵')], does: 'activate skill', wide: true },
  ];
  return (
    <p aria-hidden="true" className="flex h-8.5 shrink-0 items-center gap-4 overflow-hidden border-t border-line px-3.5 text-small whitespace-nowrap text-fg-2">
      {hints.map(({ keys, does, wide }) => (
        <span key={does} className={`flex items-center gap-1.5 ${wide ? 'max-medium:hidden' : ''}`}>
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          {does}
        </span>
      ))}
      <span className="ml-auto flex items-center gap-1.5">
        <Kbd>Esc</Kbd> close
      </span>
    </p>
  );
}

function announced({ choices, loading, problem, query, marked }: PickerState): string {
  if (problem) return `${problem.message} ${problem.hint}`;
  if (loading) return '';
  if (choices.length === 0) return query === '' ? 'No skills' : `No skill or tool for ${query}`;
  const tools = choices.reduce((sum, choice) => sum + choice.fitting.length, 0);
  const where = marked.column === 'tools' ? `, in the tools of ${marked.skill?.row.name ?? ''}` : '';
  return `${counted(choices.length, 'skill')}, ${counted(tools, 'tool')}${where}`;
}

/** The first rows, extended to include the marked one. */
function capped<T>(rows: readonly T[], marked: number): [readonly T[], number] {
  const shown = Math.max(MOST, marked + 1);
  return [rows.slice(0, shown), Math.max(0, rows.length - shown)];
}

/** Keeps the picker inside the conversation, however tall the composer is. */
function useRoomAbove() {
  const ref = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const around = ref.current?.offsetParent;
    if (!around) return;
    const measure = () => setHeight(Math.max(160, around.getBoundingClientRect().top - 22));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(around);
    observer.observe(document.documentElement);
    return () => observer.disconnect();
  }, []);
  return [ref, height] as const;
}
