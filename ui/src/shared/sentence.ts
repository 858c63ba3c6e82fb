// A skill's or tool's purpose for users, from a description written for a model.
import type { SkillRow } from '../ipc';

/** A skill's summary, else the first sentence of its description. */
export function summaryOf({ summary, description }: Pick<SkillRow, 'summary' | 'description'>): string {
  return firstSentence(summary ?? '') || firstSentence(description);
}

/**
 * The first sentence without its full stop; later ones are hints for the model. Invisible characters are
 * removed: a third party wrote the text, and the user will send it as their own.
 */
export function firstSentence(description: string): string {
  const line = description.trim().split(/\s*\n/, 1)[0]?.replaceAll(/[\p{Cc}\p{Cf}]/gu, '') ?? '';
  const end = /[.!?](?=\s+\p{Lu}|$)/u.exec(line)?.index ?? line.length;
  const sentence = line.slice(0, end).trim();
  return sentence.length > LONGEST ? `${sentence.slice(0, LONGEST).replace(/\s+\S*$/u, '')}…` : sentence;
}

/** Maximum characters; a server's description may be a page without a full stop. */
const LONGEST = 200;
