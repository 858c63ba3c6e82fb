// The requests that an enabled skill would take from others, and the choice: enable anyway, or not.

import type { SkillRow, TakenExample } from '../ipc';
import { Button, counted, Icon } from '../shared';
import { Revealed } from '../shared/Revealed';
import { exampleOf } from './skill-rows';

interface MisroutingProps {
  readonly row: SkillRow;
  readonly taken: readonly TakenExample[];
  readonly nameOf: (skill: string) => string;
  readonly onAnyway: () => void;
  readonly onLeave: () => void;
}

export function MisroutingQuestion({ row, taken, nameOf, onAnyway, onLeave }: MisroutingProps) {
  return (
    <div
      role="group"
      aria-label={`Switch ${row.name} on?`}
      data-testid="skill-astray"
      className="selectable rounded-card border border-warn-line bg-warn-soft px-3 py-2.5 text-small"
    >
      <p role="alert" className="flex gap-2 font-medium">
        <Icon name="warn" size={14} className="mt-0.5 text-warn" />
        {row.name} is still off: it would take {counted(taken.length, 'request')} meant for other skills.
      </p>
      <TakenRequests taken={taken} nameOf={nameOf} />
      <p className="mt-2 ml-5.5 flex gap-2">
        <Button size="s" onClick={onAnyway} data-testid="switch-on-anyway">
          Switch on anyway
        </Button>
        <Button size="s" variant="quiet" onClick={onLeave} data-testid="leave-off">
          Leave off
        </Button>
      </p>
    </div>
  );
}

/** Misrouted requests, and the hints that would prevent it. */
export function TakenRequests({ taken, nameOf }: Pick<MisroutingProps, 'taken' | 'nameOf'>) {
  const missing = [...new Set(taken.flatMap((one) => one.missing))];
  return (
    <>
      <ul className="mt-1 ml-5.5 flex flex-col gap-0.5">
        {taken.map(({ skill, text }) => (
          <li key={`${skill} ${text}`}>
            “<Revealed text={exampleOf(text).text} />” <span className="text-fg-2">is meant for {nameOf(skill)}</span>
          </li>
        ))}
      </ul>
      {missing.length > 0 && (
        <>
          <p className="mt-1.5 ml-5.5 text-fg-2">These hints would keep them apart:</p>
          <ul className="ml-5.5 flex flex-col gap-0.5">
            {missing.map((hint) => (
              <li key={hint} className="break-words">
                <Revealed text={hint} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
