import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';

import { nothing, type JsonValue } from '../ipc';
import { Button, ErrorBox, keyText, Loading } from '../shared';
import { focusIsLost } from '../shared/focus';
import { SchemaForm, useNoteSearch, useSchemaForm, useValuesInUse } from '../shared/form';
import { revealed } from '../shared/invisible';
import { Revealed } from '../shared/Revealed';
import { useApp, useRpc } from '../state/hooks';

interface EditArgumentsProps {
  /** `skill.tool` */
  readonly tool: string;
  readonly args: JsonValue;
  readonly disabled: boolean;
  readonly onDone: (args: JsonValue) => void;
  readonly onClose: () => void;
}

/** The tool's own form with the call's arguments. */
export function EditArguments(props: EditArgumentsProps) {
  const registry = useApp((app) => app.revisions.registry);
  const tools = useRpc('list_tools', nothing, registry);
  if (tools.error) return <ErrorBox error={tools.error} actions={<Button size="s" onClick={props.onClose}>Back</Button>} />;
  if (!tools.data) return <Loading />;
  const row = tools.data.find((row) => row.name === props.tool);
  return <ArgumentsForm {...props} skill={row?.skill ?? ''} schema={row?.input_schema ?? null} />;
}

function ArgumentsForm({ tool, args, skill, schema, disabled, onDone, onClose }: EditArgumentsProps & { skill: string; schema: JsonValue }) {
  const values = useValuesInUse(skill, schema);
  const suggest = useNoteSearch(skill);
  const form = useSchemaForm(schema, args, { values });
  const today = useApp((app) => app.status?.today ?? '');
  const [leaving, setLeaving] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // The button that opened the form, or asked to leave it, is gone.
  useLayoutEffect(() => {
    if (!focusIsLost()) return;
    const to = leaving ? '[data-testid=approval-edit-go-on]' : '[data-testid=tool-form] :is(input, textarea, select, [role=radio][aria-checked=true])';
    box.current?.querySelector<HTMLElement>(to)?.focus();
  }, [leaving]);

  const done = () => {
    const edited = form.submit();
    if (edited !== null && !disabled) onDone(edited);
  };
  const leave = () => (form.changed ? setLeaving(true) : onClose());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.stopPropagation();
    leave();
  };

  return (
    <div ref={box} onKeyDown={onKeyDown} className="flex flex-col gap-3">
      <p className="font-mono text-small text-fg-2">
        <Revealed text={tool} />
      </p>
      <SchemaForm form={form} label={`Arguments of ${revealed(tool)}`} today={today} suggest={suggest} disabled={disabled} onSubmit={done}>
        {leaving ? (
          // Keys keep a focused button from becoming another one.
          <div key="leaving" role="alert" className="mt-3 flex flex-wrap items-center gap-2 text-small">
            Your edits are not applied yet.
            <Button size="s" onClick={onClose}>
              Discard
            </Button>
            <Button size="s" data-testid="approval-edit-go-on" onClick={() => setLeaving(false)}>
              Keep editing
            </Button>
          </div>
        ) : (
          <div key="editing" className="mt-3 flex flex-wrap items-center gap-2">
            <Button variant="primary" keys={keyText('Ctrl ↵')} disabled={disabled} onClick={done} data-testid="approval-edit-done">
              Show the change
            </Button>
            <Button onClick={leave} data-testid="approval-edit-back">
              Back
            </Button>
          </div>
        )}
      </SchemaForm>
    </div>
  );
}
