// Suggestions for a new chat. Pure.
import type { GlanceView, SkillRow } from '../ipc';
import { glanceText } from '../shared/glance';

export interface Suggestion {
  readonly skill: Pick<SkillRow, 'id' | 'name'>;
  /**
   * Becomes the message. Contains no user data: content of notes is only shown in `detail` and is not sent.
   */
  readonly text: string;
  /** "2 overdue, 2 due this week", or the skill's name if nothing is due. */
  readonly detail: string;
  /** Whether something is due. */
  readonly due: boolean;
}

/** Maximum suggestions. */
const MOST = 3;

/** For each routable skill its due items, else a question that it can answer. Due items come first. */
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

/** A question without names, which would be unlikely to exist in the user's notes. */
function fitsEverybody(example: string): boolean {
  return example.endsWith('?') && !/[\p{Lu}\d“”"'’]/u.test(example.slice(1).replaceAll(/\bI\b/g, 'i'));
}
