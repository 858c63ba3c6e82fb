// The middle column: the tool's purpose, its arguments, and the equivalent command line.

import { useState } from 'react';

import type { JsonValue, ToolRow } from '../ipc';
import { Button, EffectBadge, Icon, IconButton, keyText, Loading, troubleOf } from '../shared';
import { SchemaForm, useNoteSearch, useSchemaForm, useStarts, useValuesInUse, ToolPurpose, type Starts } from '../shared/form';
import { useApp } from '../state/hooks';
import { commandLine } from './command-line';
import { canRun } from './ToolList';

interface ToolFormProps {
  readonly tool: ToolRow;
  /** The initial arguments. */
  readonly initial?: JsonValue;
  readonly running: boolean;
  readonly stopping: boolean;
  /** Whether it was run before. */
  readonly again: boolean;
  readonly onRun: (args: JsonValue) => void;
  readonly onStop: () => void;
}

export function ToolForm(props: ToolFormProps) {
  const starts = useStarts(props.tool.skill, props.tool.input_schema);
  // The arguments of an earlier call are complete.
  if (starts !== null || props.initial !== undefined) return <Filling {...props} starts={props.initial === undefined ? (starts ?? none) : none} />;
  return (
    <section aria-label={props.tool.name} data-region="form" tabIndex={-1} className="w-85 shrink-0 border-r border-line p-5 max-medium:w-75">
      <Loading lines={5} label="Reading the form" />
    </section>
  );
}

const none: Starts = {};

function Filling({ tool, initial, running, stopping, again, onRun, onStop, starts }: ToolFormProps & { starts: Starts }) {
  const today = useApp((app) => app.status?.today ?? '');
  const values = useValuesInUse(tool.skill, tool.input_schema);
  const suggest = useNoteSearch(tool.skill);
  const form = useSchemaForm(tool.input_schema, initial, { starts, values });
  const able = canRun(tool);
  const trouble = troubleOf(tool);
  const run = () => {
    const args = form.submit();
    if (args !== null && able && !running) onRun(args);
  };
  return (
    <section
      aria-label={tool.name}
      data-region="form"
      tabIndex={-1}
      className="flex w-85 shrink-0 flex-col border-r border-line max-medium:w-75"
    >
      <div className="flex-1 overflow-y-auto p-5 max-medium:p-4">
        <header className="flex items-start justify-between gap-3">
          <h2 className="selectable min-w-0 text-figure font-semibold break-words">{tool.name}</h2>
          <span className="mt-0.5">
            <EffectBadge effect={tool.effect} />
          </span>
        </header>
        <ToolPurpose plan={form.plan} description={tool.description} />
        {trouble && (
          <p role="status" data-testid="tool-trouble" className={`mt-3 flex gap-2 rounded-card px-3 py-2 text-small ${boxes[trouble.tone]}`}>
            <Icon name={trouble.tone === 'grey' ? 'clock' : 'warn'} size={14} className="mt-0.5" />
            <span className="selectable min-w-0 break-words">
              <span className="inline-block font-medium first-letter:uppercase">{trouble.word}</span>
              {trouble.message && <span className="text-fg-2">: {trouble.message}</span>}
            </span>
          </p>
        )}
        <div className="mt-4">
          <SchemaForm form={form} label={`Arguments of ${tool.name}`} today={today} suggest={suggest} onSubmit={run}>
            <div className="mt-5 flex items-center gap-2">
              {running ? (
                <Button icon="stop" className="h-8" disabled={stopping} onClick={onStop} data-testid="stop-tool">
                  {stopping ? 'Stopping…' : 'Stop'}
                </Button>
              ) : (
                <Button
                  type="submit"
                  variant="primary"
                  className="h-8 pl-3"
                  keys={keyText('Ctrl ↵')}
                  disabled={!able}
                  data-testid="run-tool"
                >
                  {again ? 'Run again' : 'Run'}
                </Button>
              )}
              {form.changed && (
                <Button variant="quiet" className="h-8" onClick={form.clear}>
                  Clear
                </Button>
              )}
            </div>
          </SchemaForm>
        </div>
      </div>
      <CommandLine tool={tool.name} args={form.args} />
    </section>
  );
}

const boxes = { danger: 'bg-danger-soft text-danger', warn: 'bg-warn-soft text-warn', grey: 'bg-surface-sunken text-fg-2' };

function CommandLine({ tool, args }: { tool: string; args: JsonValue }) {
  const platform = useApp((app) => app.status?.platform ?? 'linux');
  const [copied, setCopied] = useState<'copied' | 'refused' | null>(null);
  const line = commandLine(tool, args, platform);
  const option = ' --args ';
  const at = line.indexOf(option);
  const copy = () =>
    navigator.clipboard.writeText(line).then(
      () => setCopied('copied'),
      () => setCopied('refused'),
    );
  return (
    <div className="mx-5 mb-4 border-t border-line pt-2 short:hidden max-medium:mx-4">
      <div className="flex items-center justify-between text-small text-fg-3">
        <span role={copied ? 'status' : undefined}>
          {copied === 'copied'
            ? 'Copied'
            : copied === 'refused'
              ? 'Not copied. Select the line and copy it'
              : 'Command line'}
        </span>
        <IconButton
          icon={copied === 'copied' ? 'check' : 'copy'}
          iconSize={14}
          label="Copy the command line"
          onClick={() => void copy()}
          onBlur={() => setCopied(null)}
        />
      </div>
      <code
        data-testid="command-line"
        className="selectable mt-1 block max-h-28 overflow-y-auto rounded-control bg-surface-sunken px-2.5 py-2 font-mono text-small break-words whitespace-pre-wrap"
      >
        {at < 0 ? line : line.slice(0, at)}
        {at >= 0 && (
          <>
            {' '}
            {/* Must not wrap after its hyphens. */}
            <span className="whitespace-nowrap">{option.trim()}</span> {line.slice(at + option.length)}
          </>
        )}
      </code>
    </div>
  );
}
