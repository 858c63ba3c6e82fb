import { nothing } from '../../ipc';
import { IconButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useApp, useRpc } from '../../state/hooks';
import { Select } from '../../shared/Select';

interface SkillsFieldProps {
  /** Ids. */
  readonly chosen: readonly string[];
  readonly onChange: (skills: string[]) => void;
}

/** The skills that a routine activates. */
export function SkillsField({ chosen, onChange }: SkillsFieldProps) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const skills = useRpc('list_skills', nothing, revision).data ?? [];
  const nameOf = (id: string) => skills.find((skill) => skill.id === id)?.name ?? id;
  const offered = skills.filter(({ id, state }) => !chosen.includes(id) && (state === 'available' || state === 'active'));
  return (
    <span className="flex flex-wrap items-center gap-2">
      {chosen.map((id) => (
        <span key={id} className="flex items-center gap-1 rounded-control bg-surface-sunken pl-2">
          <Revealed text={nameOf(id)} />
          <IconButton icon="x" iconSize={12} label={`Without ${nameOf(id)}`} onClick={() => onChange(chosen.filter((one) => one !== id))} />
        </span>
      ))}
      <Select label="Add a skill" value="" onChange={(id) => onChange([...chosen, id])} className="w-44">
        <option value="" disabled>
          {chosen.length === 0 ? 'Choose a skill' : 'Add a skill'}
        </option>
        {offered.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </span>
  );
}
