// Short lines for cards and notices, derived from calls.
import type { JsonValue } from '../ipc';
import { counted, dayText } from '../shared';
import { unitText } from '../shared/amount';
import type { CallItem, Notice } from '../state/session';
import type { Around } from './around';

/** Arguments in one line: "Harborline rollout, stage won". */
export function argumentSummary(args: JsonValue): string {
  if (!isObject(args)) return args === null ? '' : scalar(args);
  const entries = Object.entries(args).filter(([, value]) => value !== null && value !== '');
  const named = Math.max(0, entries.findIndex(([key]) => NAMES.has(key)));
  const ordered = [...entries.slice(named, named + 1), ...entries.filter((_, index) => index !== named)];
  return ordered
    .map(([key, value]) => {
      if (NAMES.has(key)) return scalar(value);
      if (TEXTS.has(key)) return `“${cut(scalar(value), 60)}”`;
      return value === true ? key : `${words(key)} ${scalar(value)}`;
    })
    .join(', ');
}

/** Whether the call runs a script that makes calls itself. */
export function isScript(call: CallItem): boolean {
  return call.tool === 'core.run_code';
}

/** The source of a script call. */
export function scriptOf(call: CallItem): string {
  const source = isObject(call.args) ? call.args['source'] : null;
  return typeof source === 'string' ? source.trimEnd() : '';
}

/** A call's arguments in short: "script of 9 lines", or their values. */
export function askedSummary(call: CallItem): string {
  return isScript(call) ? `script of ${counted(scriptOf(call).split('\n').length, 'line')}` : argumentSummary(call.args);
}

/** A finished call's result in short: "4 contacts". */
export function resultSummary(call: CallItem): string {
  const value = call.result?.value ?? null;
  const changed = call.result?.changes.length ?? 0;
  if (changed > 0) return counted(changed, 'note');
  if (Array.isArray(value)) return value.length === 0 ? 'nothing found' : ofMany(value.length, noun(call.tool));
  if (isObject(value) && typeof value['summary'] === 'string') return cut(value['summary'], 48);
  if (isObject(value) && !Object.keys(value).some((key) => NAMES.has(key))) {
    const lists = Object.entries(value).filter(([key, part]) => Array.isArray(part) && !BESIDE.has(key));
    const [first, ...others] = lists as [string, JsonValue[]][];
    if (first && others.length === 0) {
      const [key, list] = first;
      return list.length === 0 ? 'nothing found' : ofMany(list.length, words(key));
    }
    return figureSummary(call);
  }
  return value === null || isObject(value) ? '' : cut(scalar(value), 48);
}

/** The first computed figure in each of its currencies: "Open pipeline €186,400, $12,000". */
function figureSummary({ result }: CallItem): string {
  const [first, ...others] = result?.figures ?? [];
  if (first === undefined) return '';
  const same = others.filter(({ label }) => label === first.label);
  return `${first.label} ${[first, ...same].map(({ value, unit }) => unitText(value, unit)).join(', ')}`;
}

/** The line of a finished call: its arguments and, for a read, its result. */
export function doneSummary(call: CallItem): string {
  const asked = askedSummary(call);
  const found = resultSummary(call);
  if (!asked || !found) return asked || found;
  const one = call.result?.changes.length === 1;
  return one ? asked : `${asked}: ${found}`;
}

/** Who decided: the user or a rule. */
export function deciderLabel(by: string): string {
  return by === 'user' || by === 'you' ? 'by you' : `by ${by}`;
}

/** Who activated a skill, and why: the tool chosen or called, the message, or the pin. */
export function activatedWhy({ skill, by }: Extract<Notice, { type: 'activated' }>, turn: Around | null): string {
  const ofSkill = (tool: string | null | undefined) => (tool?.startsWith(`${skill}.`) ? tool : null);
  switch (by) {
    case 'user': {
      const tool = ofSkill(turn?.tool);
      if (tool) return `by you, for ${tool}`;
      return turn?.skills.includes(skill) ? 'by you, with this message' : 'by you';
    }
    case 'model': {
      const called = turn?.calls.find(({ tool }) => ofSkill(tool) !== null);
      return called ? `by the model, for ${called.tool}` : 'by the model';
    }
    case 'router':
      return 'because the message is about it';
    case 'pin':
      return 'because it is pinned';
  }
}

/** `crm` as a display name: "CRM". */
export function skillLabel(skill: string): string {
  if (skill.length <= 3) return skill.toUpperCase();
  return words(skill).replace(/^./, (first) => first.toUpperCase());
}

export function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NAMES = new Set(['name', 'title', 'path', 'query', 'symbol', 'note', 'url']);
const TEXTS = new Set(['text', 'content', 'body', 'old', 'new', 'message', 'prompt', 'command', 'source']);
/** Unreadable items are reported beside the result. */
const BESIDE = new Set(['unreadable', 'problems']);
const VERBS = /^(list|get|find|search|query|read|fetch|show)(_|$)/;

function noun(tool: string): string {
  const id = tool.slice(tool.indexOf('.') + 1).replace(VERBS, '');
  return id.endsWith('s') ? words(id) : 'results';
}

function ofMany(n: number, many: string): string {
  return n === 1 ? `1 ${many.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')}` : `${n.toLocaleString('en')} ${many}`;
}

function words(key: string): string {
  return key.replaceAll(/[_-]+/g, ' ').trim();
}

function scalar(value: JsonValue): string {
  if (typeof value === 'string') return day(value) ?? value.replaceAll(/\s+/g, ' ').trim();
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `2026-11-27` as "27 Nov", with the year if it is not the current one. */
function day(value: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return null;
  const date = new Date(`${value}T00:00`);
  return Number.isNaN(date.getTime()) ? null : dayText(date).replace(/^\w{3} (?=\d)/, '');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text;
}
