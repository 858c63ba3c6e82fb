// The form of a routine: what it holds, and what is saved of it. Pure.

import type { JsonValue, NewRoutine, RoutineRow } from '../../ipc';

/** What a routine runs. A skill is a message with which it is activated. */
export type Kind = 'message' | 'tool' | 'skill';

/** Arguments of a tool are not part: their own form holds them. */
export interface Entered {
  readonly kind: Kind;
  readonly name: string;
  /** Separated by lines or semicolons. */
  readonly when: string;
  readonly zone: string;
  readonly message: string;
  readonly tool: string;
  readonly skills: readonly string[];
  readonly model: string;
  /** As `when`. */
  readonly allow: string;
}

export const empty: Entered = { kind: 'message', name: '', when: '', zone: '', message: '', tool: '', skills: [], model: '', allow: '' };

/** The form of an existing routine. */
export function enteredOf({ name, when, zone, message, tool, skills, model, allow }: RoutineRow): Entered {
  const kind = tool !== '' ? 'tool' : skills.length > 0 ? 'skill' : 'message';
  return { kind, name, when: when.join('; '), zone, message, tool, skills, model, allow: allow.join('; ') };
}

/** A routine as its note has it. */
export function savedOf({ name, when, zone, message, tool, args, allow, skills, model }: RoutineRow): NewRoutine {
  return { name, when, zone, message, tool, args, allow, skills, model };
}

/**
 * What is saved. Values of the other kinds are dropped, except the text of an existing note: a note of a tool
 * may describe it. Without `args`, as for a tool whose skill is off, those of the note are kept.
 */
export function routineOf(entered: Entered, args: JsonValue | undefined, before: NewRoutine | null): NewRoutine {
  const { kind, name, zone, message, tool, skills, model } = entered;
  const asks = kind !== 'tool';
  return {
    name,
    when: before !== null && entered.when === before.when.join('; ') ? before.when : entries(entered.when),
    zone,
    message: asks ? message : (before?.message ?? ''),
    tool: asks ? '' : tool,
    args: asks ? '' : argsText(args, before?.tool === tool ? before.args : ''),
    // A rule of the note may have a semicolon in its arguments.
    allow: before !== null && entered.allow === before.allow.join('; ') ? before.allow : entries(entered.allow),
    skills: kind === 'skill' ? [...skills] : [],
    model: asks ? model : '',
  };
}

/** Whether everything that its kind needs is filled in. */
export function isComplete({ kind, name, when, message, tool, skills }: Entered): boolean {
  const told = [name, when].every((text) => text.trim() !== '');
  if (kind === 'tool') return told && tool !== '';
  return told && message.trim() !== '' && (kind === 'message' || skills.length > 0);
}

/** With one more rule for what runs without asking. */
export function allowing(entered: Entered, rule: string): Entered {
  return { ...entered, allow: [...entries(entered.allow), rule].join('; ') };
}

/** The arguments of a note; undefined where they are no JSON object. */
export function argsIn(text: string): JsonValue | undefined {
  if (text.trim() === '') return {};
  try {
    const args = JSON.parse(text) as JsonValue;
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : undefined;
  } catch {
    return undefined;
  }
}

export function entries(text: string): string[] {
  return text.split(/[\n;]/).map((entry) => entry.trim()).filter((entry) => entry !== '');
}

/** Unchanged arguments keep the note's spelling. */
function argsText(args: JsonValue | undefined, before: string): string {
  if (args === undefined) return before;
  const text = JSON.stringify(args);
  if (JSON.stringify(argsIn(before)) === text) return before;
  return text === '{}' ? '' : text;
}
