// The arguments of a server's prompt as a form above the composer. The server's response is sent with the
// message.

import { useMemo, useState } from 'react';

import { type AttachedFile, type JsonValue, type ServerPrompt, useBackend, userError, type UserError } from '../../ipc';
import { Button, ErrorBox, Icon, IconButton, keyText } from '../../shared';
import { SchemaForm, useSchemaForm } from '../../shared/form';
import type { Suggest } from '../../shared/form';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';

interface PromptFormProps {
  readonly prompt: ServerPrompt;
  readonly onFilled: (file: AttachedFile) => void;
  readonly onClose: () => void;
}

export function PromptForm({ prompt, onFilled, onClose }: PromptFormProps) {
  const backend = useBackend();
  const { server, name, title, description, input_schema, completes } = prompt;
  const schema = useMemo(() => (completes ? withSuggestions(input_schema) : input_schema), [completes, input_schema]);
  const form = useSchemaForm(schema);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<UserError | null>(null);

  const fill = async () => {
    const args = form.submit();
    if (args === null || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      onFilled(await backend.rpc('fill_server_prompt', { server, prompt: name, args: texts(args) }));
      onClose();
    } catch (thrown) {
      setProblem(userError(thrown));
      setBusy(false);
    }
  };
  const suggest: Suggest = async (argument, text) => {
    const values = await backend.rpc('complete_server_prompt', { server, prompt: name, argument, text, args: texts(form.args) });
    return values.map((value) => ({ name: value, detail: '' }));
  };
  return (
    <section
      data-testid="prompt-form"
      aria-label={`Prompt ${revealed(name)} of ${revealed(server)}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
      className="absolute bottom-full left-1/2 z-30 mb-3.5 flex max-h-106 w-190 max-w-[calc(100%+2.5rem)] -translate-x-1/2 animate-pop flex-col gap-2.5 overflow-y-auto rounded-pop border border-line-strong bg-surface-raised p-3.5 text-ui text-fg shadow-2 short:max-h-80"
    >
      <header className="flex items-center gap-2">
        <Icon name="plug" size={16} className="text-fg-2" />
        <h2 className="min-w-0 flex-1 font-semibold">
          <Revealed text={title ?? name} />
          <span className="ml-2 font-normal text-fg-3">prompt of {revealed(server)}</span>
        </h2>
        <IconButton icon="x" iconSize={14} label="Close" onClick={onClose} />
      </header>
      {description !== '' && (
        <p className="text-small text-fg-2">
          <Revealed text={description} />
        </p>
      )}
      <SchemaForm form={form} label={`Arguments of ${revealed(name)}`} disabled={busy} focused {...(completes ? { suggest } : {})} onSubmit={() => void fill()}>
        {problem && <ErrorBox error={problem} />}
        <div className="mt-3 flex items-center gap-3">
          <Button variant="primary" type="submit" data-testid="prompt-fill" keys={keyText('Ctrl ↵')} disabled={busy} autoFocus={form.plan.fields.length === 0}>
            Add to message
          </Button>
          <span className="text-small text-fg-3">
            {revealed(server)} gets what you fill in. You see its text before you send it.
          </span>
        </div>
      </SchemaForm>
    </section>
  );
}

/** Adds suggestions below every argument. */
function withSuggestions(schema: JsonValue): JsonValue {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema;
  const properties = Object.entries(schema['properties']).map(([key, field]) => [key, isObject(field) ? { ...field, 'x-record': 'value' } : field]);
  return { ...schema, properties: Object.fromEntries(properties) as JsonValue };
}

function texts(args: JsonValue): Record<string, string> {
  if (!isObject(args)) return {};
  return Object.fromEntries(Object.entries(args).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
