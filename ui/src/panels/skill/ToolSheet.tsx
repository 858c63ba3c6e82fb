import { nothing, type JsonValue, type ToolRow } from '../../ipc';
import { Button, EffectBadge, Empty, ErrorBox, IconButton, keyText, LinkButton, Loading, Sheet, troubleOf } from '../../shared';
import { SchemaForm, useSchemaForm } from '../../shared/form';
import { useApp, useRpc } from '../../state/hooks';

interface ToolSheetProps {
  /** What the user chose: "Log contact". */
  readonly title: string;
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Readonly<Record<string, JsonValue>>;
  readonly onRun: (args: JsonValue) => void;
  readonly onClose: () => void;
}

/** The form of a tool over the panel, with what is known filled in. */
export function ToolSheet({ title, tool, args, onRun, onClose }: ToolSheetProps) {
  return (
    <Sheet side="right" width={400} label={title} onClose={onClose}>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2.5 pl-4">
        <h2 className="flex-1 text-body font-semibold">{title}</h2>
        <IconButton icon="x" label="Close" keys="Esc" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <ToolFields
          tool={tool}
          args={args}
          action={title}
          onRun={(filled) => {
            onRun(filled);
            onClose();
          }}
        />
      </div>
    </Sheet>
  );
}

/** The form itself, once the tool's schema is there. */
export function ToolFields({ tool, args, action, onRun }: { tool: string; args: ToolSheetProps['args']; action: string; onRun: (args: JsonValue) => void }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const { data, error, reload } = useRpc('list_tools', nothing, revision);
  if (error) return <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />;
  if (data === null) return <Loading lines={5} label="Reading the form" />;
  const row = data.find(({ name }) => name === tool);
  if (!row) return <Empty>{tool} is not there. It may be switched off in Settings, Skills.</Empty>;
  return <Fields key={JSON.stringify(args)} row={row} args={args} action={action} onRun={onRun} />;
}

function Fields({ row, args, action, onRun }: { row: ToolRow; args: ToolSheetProps['args']; action: string; onRun: (args: JsonValue) => void }) {
  const today = useApp((app) => app.status?.today ?? '');
  const form = useSchemaForm(row.input_schema, { ...args });
  const trouble = troubleOf(row);
  const run = () => {
    const filled = form.submit();
    if (filled !== null && trouble?.usable !== false) onRun(filled);
  };
  return (
    <>
      <p className="mb-3 flex items-start gap-2 text-small text-fg-2">
        <span className="selectable min-w-0 flex-1">{row.description}</span>
        <EffectBadge effect={row.effect} />
      </p>
      {trouble && (
        <p role="status" className="mb-3 rounded-card bg-warn-soft px-3 py-2 text-small text-warn">
          {trouble.word}
          {trouble.message && <span className="text-fg-2">: {trouble.message}</span>}
        </p>
      )}
      <SchemaForm form={form} label={`Arguments of ${row.name}`} today={today} onSubmit={run}>
        <div className="mt-5">
          <Button type="submit" variant="primary" keys={keyText('Ctrl ↵')} disabled={trouble?.usable === false || form.shown.length > 0}>
            {action}
          </Button>
        </div>
      </SchemaForm>
    </>
  );
}
