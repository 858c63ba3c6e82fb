// What a new chat can begin with. Pure.
import type { SkillRow } from '../ipc';

export interface Suggestion {
  readonly skill: Pick<SkillRow, 'id' | 'name'>;
  readonly text: string;
}

/** Rows of a new chat. */
const MOST = 4;

/** One question from each skill that can answer one, of those that it is to be reached by. */
export function suggestions(skills: readonly SkillRow[]): Suggestion[] {
  return skills
    .filter(({ hidden, state }) => !hidden && (state === 'available' || state === 'active'))
    .flatMap((skill) => {
      const text = skill.examples.find(fitsEverybody);
      return text === undefined ? [] : [{ skill, text }];
    })
    .slice(0, MOST);
}

/** A question that names nobody and nothing: who and what it would name is in somebody else's notes. */
function fitsEverybody(example: string): boolean {
  return example.endsWith('?') && !/[\p{Lu}\d“”"'’]/u.test(example.slice(1).replaceAll(/\bI\b/g, 'i'));
}
