// The picker's contents: skills in order, each with its tools, matching ones first.

import type { ServerPrompt, SkillRow, SkillState, ToolRow, ToolSuggestion } from '../../ipc';
import { skillStates } from '../../shared';
import { byName } from '../../shared/natural';
import { firstSentence } from '../../shared/sentence';
import { matchName, matchSentence, type Kind, type Match, type Range } from '../../shared/letters';

export interface SkillChoice {
  readonly row: SkillRow;
  /** Matched literally, or suggested by the backend. */
  readonly by: 'letters' | 'meaning';
  readonly able: boolean;
  /** Why it is unavailable, in a few words. */
  readonly reason: string | null;
  /** Which matches better: its own name, or one of its tools. */
  readonly first: 'skill' | 'tool';
  /** Matching ranges of its name. */
  readonly name: readonly Range[];
  /** Its tools match semantically, none literally. */
  readonly toolsMeant: boolean;
  /** Matching tools; all of them without a query. */
  readonly fitting: readonly ToolChoice[];
  readonly others: readonly ToolChoice[];
}

/** A tool, or a prompt of an MCP server listed among its tools. */
export type PickerRow = Pick<ToolRow, 'name' | 'skill' | 'description' | 'effect' | 'input_schema' | 'state' | 'reason'> & {
  readonly prompt?: ServerPrompt;
};

export function promptRow(prompt: ServerPrompt, state: SkillState): PickerRow {
  const { skill, name, title, description, input_schema } = prompt;
  const says = [title, description].filter(Boolean).join(': ');
  return { name: `${skill}.prompt:${name}`, skill, description: says, effect: 'read', input_schema, state, reason: null, prompt };
}

export interface ToolChoice {
  readonly row: PickerRow;
  /** The name without its skill. */
  readonly id: string;
  readonly able: boolean;
  readonly reason: string | null;
  /** Matching ranges of `id`. */
  readonly name: readonly Range[];
  readonly sentence: string;
  /** Matching ranges of `sentence`. */
  readonly described: readonly Range[];
}

export interface Offer {
  readonly query: string;
  readonly skills: readonly SkillRow[];
  readonly tools: readonly PickerRow[];
  /** For this query, best first. */
  readonly suggestions: readonly ToolSuggestion[];
  /** Last call in this chat by `skill.tool`, RFC 3339. */
  readonly called: ReadonlyMap<string, string>;
}

export function choices({ query, skills, tools, suggestions, called }: Offer): SkillChoice[] {
  const bySkill = new Map<string, PickerRow[]>();
  for (const tool of tools) bySkill.set(tool.skill, [...(bySkill.get(tool.skill) ?? []), tool]);
  const ranked = skills.flatMap((row): Ranked[] => {
    const own = bySkill.get(row.id) ?? [];
    // Disabled skills are only offered if named.
    if (query === '') return row.state === 'disabled' ? [] : [{ rank: FIRST, choice: unasked(row, own) }];
    const fits = rankedSkill(query, row, own, called);
    return fits ? [fits] : [];
  });
  const ordered = ranked.toSorted(
    (a, b) =>
      byRank(a.rank, b.rank) ||
      (query === '' ? Number(b.choice.row.pinned) - Number(a.choice.row.pinned) : 0) ||
      byLastUse(a.choice.row, b.choice.row) ||
      byName(a.choice.row.name, b.choice.row.name),
  );
  const lettered = ordered.map(({ choice }) => (choice.fitting.length > 0 ? choice : { ...choice, ...meantTools(choice.others, choice.row.id, suggestions) }));
  const known = new Set(lettered.map(({ row }) => row.id));
  return [...lettered, ...meant(suggestions, skills.filter(({ id, state }) => !known.has(id) && state !== 'disabled'), bySkill)];
}

/** All tools of a choice in display order. */
export function toolsOf(choice: SkillChoice): readonly ToolChoice[] {
  return [...choice.fitting, ...choice.others];
}

/** Lower is better: kind of match, then matched field, then distance of the letters. */
type Rank = readonly [kind: number, field: number, gaps: number];

const kinds: Record<Kind, number> = { prefix: 0, word: 1, inside: 2, apart: 3 };
const fields = { name: 0, skill: 1, description: 2 } as const;
const FIRST: Rank = [0, 0, 0];

// A matching description is always the weakest signal.
function rank(match: Match | null, field: keyof typeof fields): Rank | null {
  return match && [field === 'description' ? 4 : kinds[match.kind], fields[field], match.gaps];
}

interface Ranked {
  readonly rank: Rank;
  readonly choice: SkillChoice;
}

function byRank(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function best(...ranks: (Rank | null)[]): Rank | null {
  return ranks.filter((one) => one !== null).toSorted(byRank)[0] ?? null;
}

function rankedSkill(query: string, row: SkillRow, tools: readonly PickerRow[], called: Offer['called']): Ranked | null {
  const pointed = pointedAt(query);
  const inSkill = pointed && bestMatch(matchName(pointed.skill, row.name), matchName(pointed.skill, row.id));
  const whole = bestMatch(matchName(query, row.name), matchName(query, row.id));
  const asSkill = rank(whole, 'skill') ?? rank(inSkill, 'skill');

  const fitting: { rank: Rank; tool: ToolChoice }[] = [];
  const others: ToolChoice[] = [];
  for (const tool of tools) {
    const id = toolId(tool);
    const sentence = firstSentence(tool.description);
    const part = inSkill && pointed.tool !== '' ? matchName(pointed.tool, id) : null;
    const name = bestMatch(matchName(query, id), part);
    const described = matchSentence(query, sentence);
    const ofSkill = pointed ? (inSkill && pointed.tool === '' ? rank(inSkill, 'skill') : null) : rank(whole, 'skill');
    const fit = best(rank(name, 'name'), ofSkill, rank(described, 'description'));
    const choice = toolChoice(tool, name?.ranges, described?.ranges);
    if (fit) fitting.push({ rank: fit, tool: choice });
    else others.push(choice);
  }
  fitting.sort((a, b) => byRank(a.rank, b.rank) || (called.get(b.tool.row.name) ?? '').localeCompare(called.get(a.tool.row.name) ?? ''));

  const described = rank(matchSentence(query, row.description), 'description');
  // `crm.` names the skill; `crm.zz` names a tool that it does not have.
  const ownRank = pointed && pointed.tool !== '' ? null : best(asSkill, described);
  const fit = best(fitting[0]?.rank ?? null, ownRank);
  if (!fit) return null;
  const first = fitting[0] && (pointed !== null || fitting[0].rank[1] !== fields.skill) ? 'tool' : 'skill';
  const name = matchName(inSkill ? pointed.skill : query, row.name)?.ranges ?? [];
  return { rank: fit, choice: { ...skillChoice(row, 'letters'), first, name, fitting: fitting.map(({ tool }) => tool), others } };
}

/** "crm.move" and "crm__move" name a tool of a skill. */
function pointedAt(query: string): { skill: string; tool: string } | null {
  const [, skill, tool] = /^(.+?)(?:\.|__)(.*)$/su.exec(query) ?? [];
  return skill === undefined || tool === undefined ? null : { skill, tool };
}

function bestMatch(...matches: (Match | null)[]): Match | null {
  return matches.filter((one) => one !== null).toSorted((a, b) => kinds[a.kind] - kinds[b.kind] || a.gaps - b.gaps)[0] ?? null;
}

function unasked(row: SkillRow, tools: readonly PickerRow[]): SkillChoice {
  return { ...skillChoice(row, 'letters'), fitting: tools.map((tool) => toolChoice(tool)) };
}

/** Sorted by their best tools. */
function meant(suggestions: readonly ToolSuggestion[], skills: readonly SkillRow[], bySkill: Map<string, PickerRow[]>): SkillChoice[] {
  const ids = [...new Set(suggestions.map(({ skill }) => skill))];
  return ids.flatMap((id) => {
    const row = skills.find((one) => one.id === id);
    if (!row) return [];
    const tools = meantTools((bySkill.get(id) ?? []).map((tool) => toolChoice(tool)), id, suggestions);
    return [{ ...skillChoice(row, 'meaning'), ...tools, first: tools.toolsMeant ? 'tool' : 'skill' }];
  });
}

/** Tools of a skill, suggested ones first, in their order. */
function meantTools(tools: readonly ToolChoice[], skill: string, suggestions: readonly ToolSuggestion[]) {
  const names = suggestions.flatMap((one) => (one.skill === skill && one.tool !== null ? [one.tool] : []));
  const fitting = names.flatMap((name) => tools.find(({ row }) => row.name === name) ?? []);
  return { fitting, others: tools.filter((tool) => !fitting.includes(tool)), toolsMeant: fitting.length > 0 };
}

function skillChoice(row: SkillRow, by: SkillChoice['by']): SkillChoice {
  return { row, by, able: isAble(row), reason: whyNot(row), first: 'skill', toolsMeant: false, name: [], fitting: [], others: [] };
}

function toolChoice(row: PickerRow, name: readonly Range[] = [], described: readonly Range[] = []): ToolChoice {
  return { row, id: toolId(row), able: isAble(row), reason: whyNot(row), name, sentence: firstSentence(row.description), described };
}

function isAble({ state }: { readonly state: SkillState }): boolean {
  return state === 'available' || state === 'active';
}

/** "needs FINNHUB_API_KEY", "needs sign-in", "switched off", "did not start: npx not found" */
function whyNot({ state, reason }: { readonly state: SkillState; readonly reason: string | null }): string | null {
  const why = (reason ?? '').replace(/\.$/, '');
  switch (state) {
    case 'available':
    case 'active':
      return null;
    case 'disabled':
      return 'switched off';
    case 'unavailable':
      return why === '' ? 'unavailable' : why.replace(/^Set (?=[A-Z0-9_]+$)/, 'needs ');
    case 'needs_sign_in':
    case 'needs_review':
      return skillStates[state].word;
    default:
      return why === '' ? skillStates[state].word : `${skillStates[state].word}: ${why}`;
  }
}

function toolId({ name, skill, prompt }: PickerRow): string {
  if (prompt) return prompt.name;
  return name.startsWith(`${skill}.`) ? name.slice(skill.length + 1) : name;
}

function byLastUse(a: SkillRow, b: SkillRow): number {
  return (b.usage.last_used ?? '').localeCompare(a.usage.last_used ?? '');
}
