// What a skill or tool is for, said to a person: its description is written for a model.
import type { SkillRow } from '../ipc';

/** A skill's own few words; else the first sentence of its description. */
export function summaryOf({ summary, description }: Pick<SkillRow, 'summary' | 'description'>): string {
  return firstSentence(summary ?? '') || firstSentence(description);
}

/**
 * The first sentence without its end; later ones are hints to the model. Signs that cannot be seen are
 * left out: the words come from the tool's author, and a person is going to send them as their own.
 */
export function firstSentence(description: string): string {
  const line = description.trim().split(/\s*\n/, 1)[0]?.replaceAll(/[\p{Cc}\p{Cf}]/gu, '') ?? '';
  const end = /[.!?](?=\s+\p{Lu}|$)/u.exec(line)?.index ?? line.length;
  const sentence = line.slice(0, end).trim();
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST).replace(/\s+\S*$/u, '')}…` : sentence;
}

/** Letters of a sentence; a server may describe its tool with a page without a full stop. */
const LONGEST = 200;
