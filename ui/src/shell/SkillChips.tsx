import { useEffect, useRef, useState } from 'react';

import { Chip, counted, Icon, Popover, skillIcon } from '../shared';
import { skillName } from '../state/app';
import { useApp, useSession } from '../state/hooks';
import type { ActiveSkill } from '../state/session';

/** The active skills of the open chat as chips; as "3 skills" where they do not all fit. */
export function SkillChips() {
  const { skills } = useSession();
  const room = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [fits, setFits] = useState(true);

  useEffect(() => {
    const measure = () => setFits((list.current?.offsetWidth ?? 0) <= (room.current?.clientWidth ?? 0));
    const observer = new ResizeObserver(measure);
    if (room.current) observer.observe(room.current);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={room} className="relative flex h-full min-w-0 flex-1 items-center overflow-hidden">
      {/* Stays where it is when it does not fit, unseen, to be measured again. */}
      <ul
        ref={list}
        aria-label="Active skills"
        className={`flex w-max items-center gap-2 ${fits ? '' : 'invisible absolute'}`}
      >
        {skills.map((active) => (
          <li key={active.skill} className="contents">
            <SkillChip active={active} />
          </li>
        ))}
      </ul>
      {!fits && (
        <Popover
          label="Active skills"
          trigger={
            <button
              type="button"
              className="flex h-6 shrink-0 items-center gap-1.5 rounded-badge bg-surface-sunken px-1.5 text-small text-fg-2 hover:bg-selected"
            >
              {counted(skills.length, 'skill')}
              <Icon name="chevron-down" size={12} />
            </button>
          }
        >
          <ul className="flex flex-col items-start gap-2">
            {skills.map((active) => (
              <li key={active.skill} className="flex">
                <SkillChip active={active} />
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </div>
  );
}

function SkillChip({ active: { skill, lifetime } }: { active: ActiveSkill }) {
  const name = useApp((app) => skillName(app, skill));
  return (
    <Chip tone="skill" icon={skillIcon(skill)} note={lifetime === 'turn' ? 'this turn' : undefined}>
      {name}
    </Chip>
  );
}
