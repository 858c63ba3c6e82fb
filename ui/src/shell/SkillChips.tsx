import { useEffect, useRef, useState } from 'react';

import { nothing } from '../ipc';
import { Chip, counted, Icon, Popover, skillIcon, useMedia } from '../shared';
import { skillName } from '../state/app';
import { useActions, useApp, useRpc, useSession } from '../state/hooks';
import type { ActiveSkill } from '../state/session';

/** A skill in the header. */
export interface ShownSkill extends ActiveSkill {
  /** Active in every chat: it leaves this one only when unpinned. */
  readonly pinned: boolean;
  /** Its tools need a sign-in first. */
  readonly needsSignIn: boolean;
}

/** The active skills of the open chat, or those that a new chat will have. */
export function useShownSkills(): readonly ShownSkill[] {
  const revision = useApp(({ revisions }) => revisions.registry);
  const skills = useSession((state) => state.skills);
  const begun = useSession((state) => state.turns.length > 0);
  const rows = useRpc('list_skills', nothing, revision).data;
  const pinned = (rows ?? []).filter((row) => row.pinned);
  if (!begun && skills.length === 0) {
    return pinned
      .filter(({ state }) => state === 'available' || state === 'active')
      .map(({ id, lifetime }) => ({ skill: id, by: 'pin', lifetime, pinned: true, needsSignIn: false }));
  }
  // Until the rows are loaded, fall back to whether a pin activated it.
  return skills.map((active) => ({
    ...active,
    pinned: rows === null ? active.by === 'pin' : pinned.some(({ id }) => id === active.skill),
    needsSignIn: rows?.some(({ id, state }) => id === active.skill && state === 'needs_sign_in') ?? false,
  }));
}

/** Skills as chips, or as "3 skills" if they do not fit or at high zoom. */
export function SkillChips({ skills }: { skills: readonly ShownSkill[] }) {
  const room = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [fits, setFits] = useState(true);
  const narrow = useMedia('(max-width: 899px)');
  const whole = fits && !narrow;

  useEffect(() => {
    const measure = () => setFits((list.current?.offsetWidth ?? 0) <= (room.current?.clientWidth ?? 0));
    const observer = new ResizeObserver(measure);
    if (room.current) observer.observe(room.current);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={room} className="relative flex h-full min-w-0 flex-1 items-center overflow-hidden">
      {/* Stays mounted but hidden when it does not fit, to be measured again. */}
      <ul
        ref={list}
        aria-label="Active skills"
        aria-hidden={!whole}
        className={`flex w-max items-center gap-2 ${whole ? '' : 'invisible absolute'}`}
      >
        {skills.map((active) => (
          <li key={active.skill} className="contents">
            <SkillChip active={active} />
          </li>
        ))}
      </ul>
      {!whole && (
        <Popover
          label="Active skills"
          trigger={
            <button
              type="button"
              data-testid="active-skills"
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

function SkillChip({ active: { skill, lifetime, pinned, needsSignIn } }: { active: ShownSkill }) {
  const name = useApp((app) => skillName(app, skill));
  const { dropSkill, show } = useActions();
  const [dropping, setDropping] = useState(false);
  const drop = () => {
    // The chip disappears on the backend's event; a second click does nothing.
    if (dropping) return;
    setDropping(true);
    void dropSkill(skill).then(() => setDropping(false));
  };
  return (
    <span data-testid="active-skill" data-skill={skill} className={dropping ? 'opacity-60' : ''}>
      <Chip
        tone={needsSignIn ? 'warn' : 'skill'}
        icon={needsSignIn ? 'lock' : skillIcon(skill)}
        {...(needsSignIn ? { onClick: () => show({ kind: 'settings', page: 'skills', skill }) } : {})}
        note={pinned ? <PinMark /> : lifetime === 'turn' ? 'this turn' : undefined}
        {...(pinned ? {} : { onRemove: drop, removeLabel: `Deactivate ${name}` })}
      >
        {name}
        {needsSignIn && ', sign in'}
      </Chip>
    </span>
  );
}

function PinMark() {
  return (
    <span data-tip="Pinned: active in every chat">
      <Icon name="pin" size={12} />
      <span className="sr-only">pinned</span>
    </span>
  );
}
