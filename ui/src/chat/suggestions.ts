// What a new chat can begin with. Pure.
import type { GlanceView, SkillRow } from '../ipc';
import { glanceText } from '../shared/glance';

export interface Suggestion {
  readonly skill: Pick<SkillRow, 'id' | 'name'>;
  /** Becomes the message. It is nobody's data: what is in the notes stands beside it, and goes nowhere. */
  readonly text: string;
  /** "2 overdue, 2 due this week"; the name of the skill where there is nothing to say. */
  readonly detail: string;
  /** Something is. */
  readonly due: boolean;
}

/** Rows of a new chat. */
const MOST = 3;

/**
 * Of each skill what it can say is due, else a question that it can answer; of those that it is to be reached by.
 * What is due stands first, then where nothing is.
 */
export function suggestions(skills: readonly SkillRow[], glances: readonly GlanceView[]): Suggestion[] {
  const reached = skills.filter(({ hidden, state }) => !hidden && (state === 'available' || state === 'active'));
  const asked = reached.flatMap((skill) =>
    glances.flatMap(({ skill: id, ask, says }) => (id === skill.id && ask !== null ? [{ skill, text: ask, said: glanceText(says) }] : [])),
  );
  const due = asked.filter(({ said }) => said !== '').map(({ said, ...row }) => ({ ...row, detail: said, due: true }));
  const quiet = asked.filter(({ said }) => said === '').map(({ said: _none, ...row }) => ({ ...row, detail: row.skill.name, due: false }));
  const others = reached
    .filter(({ id }) => !asked.some(({ skill }) => skill.id === id))
    .flatMap((skill) => {
      const text = skill.examples.find(fitsEverybody);
      return text === undefined ? [] : [{ skill, text, detail: skill.name, due: false }];
    });
  return [...due, ...quiet, ...others].slice(0, MOST);
}

/** A question without names: names in it would not be in the user's notes. */
function fitsEverybody(example: string): boolean {
  return example.endsWith('?') && !/[\p{Lu}\d“”"'’]/u.test(example.slice(1).replaceAll(/\bI\b/g, 'i'));
}
