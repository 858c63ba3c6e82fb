// The tool that a routine runs, and its arguments.

import { useEffect, type RefObject } from 'react';

import type { JsonValue, ToolRow } from '../../ipc';
import { EffectBadge, LinkButton } from '../../shared';
import { SchemaForm, useNoteSearch, useSchemaForm, useValuesInUse } from '../../shared/form';
import { useApp } from '../../state/hooks';
import { Select } from '../../shared/Select';
import { entries } from './routine-form';

interface ToolSelectProps {
  readonly tools: readonly ToolRow[];
  /** `skill.tool`; '' for none. */
  readonly chosen: string;
  /** The rules for what runs without asking. */
  readonly allow: string;
  readonly onChoose: (tool: string) => void;
  readonly onAllow: (tool: string) => void;
}

export function ToolSelect({ tools, chosen, allow, onChoose, onAllow }: ToolSelectProps) {
  const names = useApp((app) => app.skillNames);
  const tool = tools.find(({ name }) => name === chosen);
  const skills = [...new Set(tools.map(({ skill }) => skill))].toSorted((a, b) => (names[a] ?? a).localeCompare(names[b] ?? b));
  const asks = tool !== undefined && tool.effect !== 'read' && !entries(allow).includes(chosen);
  return (
    <span className="flex items-center gap-2.5">
      <Select label="Tool" mono value={chosen} onChange={onChoose} className="w-64">
        <option value="" disabled>
          Choose a tool
        </option>
        {/* One of a skill that is off is kept. */}
        {chosen !== '' && tool === undefined && <option value={chosen}>{chosen}</option>}
        {skills.map((skill) => (
          <optgroup key={skill} label={names[skill] ?? skill}>
            {tools.filter((one) => one.skill === skill).map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      {tool && <EffectBadge effect={tool.effect} />}
      {asks && tool.effect === 'send' && <span className="text-fg-2">Asks each time.</span>}
      {asks && tool.effect !== 'send' && (
        <span className="text-fg-2">
          Asks before it runs. <LinkButton onClick={() => onAllow(chosen)}>Run without asking</LinkButton>
        </span>
      )}
    </span>
  );
}

/** The arguments of the form that is shown, if any; null after showing their problems. */
export type ArgsOf = () => JsonValue | null | undefined;

export const noArgs: ArgsOf = () => undefined;

interface ToolArgumentsProps {
  readonly tool: ToolRow;
  readonly initial: JsonValue | undefined;
  /** Whether `initial` is of a note, which keeps it while nothing is changed: the form does not know every value. */
  readonly isKept: boolean;
  readonly argsRef: RefObject<ArgsOf>;
  readonly onSubmit: () => void;
}

/** Without initial values such as today's date: a routine runs on other days. */
export function ToolArguments({ tool, initial = {}, isKept, argsRef, onSubmit }: ToolArgumentsProps) {
  const today = useApp((app) => app.status?.today ?? '');
  const values = useValuesInUse(tool.skill, tool.input_schema);
  const suggest = useNoteSearch(tool.skill);
  const form = useSchemaForm(tool.input_schema, initial, { values });
  useEffect(() => {
    argsRef.current = () => (isKept && !form.changed ? undefined : form.submit());
    return () => {
      argsRef.current = noArgs;
    };
  });
  if (form.plan.fields.length === 0) return null;
  return (
    <div className="max-w-140 border-t border-line pt-2.5">
      <SchemaForm form={form} label={`Arguments of ${tool.name}`} today={today} suggest={suggest} onSubmit={onSubmit} />
    </div>
  );
}
