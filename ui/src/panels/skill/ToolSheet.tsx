import { useEffect, useReducer, useRef, type ReactNode } from 'react';

import { nothing, type JsonValue, type ToolResult, type ToolRow } from '../../ipc';
import { Button, EffectBadge, Empty, ErrorBox, IconButton, keyText, LinkButton, Loading, Sheet, troubleOf } from '../../shared';
import { Confirmation, isProposal, proposalOf } from '../../shared/confirm';
import { SchemaForm, ToolPurpose, useNoteSearch, useSchemaForm, useStarts, useValuesInUse, type Starts } from '../../shared/form';
import { useApp, useRpc } from '../../state/hooks';
import { Running } from './Bars';
import { firstSheet, reduceSheet, type SheetState } from './sheet';
import type { PanelCall } from './useCalls';

type Args = Readonly<Record<string, JsonValue>>;

/** The initial content of a sheet. */
export interface ToolToFill {
  /** The chosen action: "Log contact". */
  readonly title: string;
  /** `skill.tool` */
  readonly tool: string;
  readonly args: Args;
  /** The tool's proposal for these arguments, instead of a result. */
  readonly proposed?: JsonValue;
}

interface ToolSheetProps {
  readonly fill: ToolToFill;
  /** This sheet's call while it runs. */
  readonly running: PanelCall | null;
  /** Calls the tool as `run`. */
  readonly onRun: (args: JsonValue, run: string) => Promise<ToolResult>;
  readonly onStop: (call: PanelCall) => void;
  /** The sheet reported the result; nothing else needs to. */
  readonly onTold: (run: string) => void;
  readonly onClose: () => void;
}

/**
 * A tool's form over the panel, prefilled. It stays until the tool succeeds: a refusal is shown below the
 * values, and a proposal to confirm replaces the form.
 */
export function ToolSheet({ fill, running, onRun, onStop, onTold, onClose }: ToolSheetProps) {
  const { title, tool } = fill;
  const [state, say] = useReducer(reduceSheet, fill, ({ args, proposed }) => firstSheet(proposed === undefined ? null : { args, answer: proposed }, null));
  const open = useRef(true);
  useEffect(() => {
    open.current = true;
    return () => void (open.current = false);
  }, []);

  const run = async (args: JsonValue) => {
    if (state.run !== null) return;
    const id = `panel-${crypto.randomUUID()}`;
    say({ type: 'begun', run: id });
    const { ok, value, error, so_far } = await onRun(args, id);
    // Closed meanwhile: the bar below the panel reports it.
    if (!open.current) return;
    if (ok && !isProposal(value)) return onClose();
    if (ok) say({ type: 'proposed', run: id, args, answer: value ?? null });
    else say({ type: 'refused', run: id, error: error ?? { code: 'tool_failed', message: `${tool} failed without a reason.`, hint: 'Try again.' } });
    if (so_far == null) onTold(id);
  };

  const confirming = state.proposed !== null;
  return (
    <Sheet side="right" width={confirming ? 560 : 400} label={title} onClose={onClose}>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line pr-2.5 pl-4">
        <h2 className="flex-1 text-body font-semibold">{title}</h2>
        <IconButton icon="x" label="Close" keys="Esc" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <WithTool tool={tool}>
          {(row) => (
            <>
              <div hidden={confirming}>
                <Fields row={row} args={fill.args} action={title} focused busy={state.run !== null} onRun={(args) => void run(args)} below={confirming ? null : <Below state={state} />} />
              </div>
              {state.proposed && (
                <Agreeing row={row} title={title} state={state} proposed={state.proposed} onRun={(args) => void run(args)} onBack={() => say({ type: 'back' })} />
              )}
            </>
          )}
        </WithTool>
      </div>
      {running && (
        <footer className="shrink-0 border-t border-line p-3">
          <Running call={running} onStop={() => onStop(running)} />
        </footer>
      )}
    </Sheet>
  );
}

interface AgreeingProps {
  readonly row: ToolRow;
  readonly title: string;
  readonly state: SheetState;
  readonly proposed: NonNullable<SheetState['proposed']>;
  readonly onRun: (args: JsonValue) => void;
  readonly onBack: () => void;
}

function Agreeing({ row, title, state, proposed, onRun, onBack }: AgreeingProps) {
  const proposal = proposalOf(proposed.answer, row.input_schema, proposed.args);
  if (proposal === null) return null;
  const busy = state.run !== null;
  return (
    <Confirmation
      key={JSON.stringify(proposed)}
      proposal={proposal}
      action={title}
      busy={busy}
      onRun={onRun}
      actions={
        <Button variant="quiet" className="h-8" disabled={busy} onClick={onBack}>
          Back
        </Button>
      }
      below={<Below state={state} />}
    />
  );
}

function Below({ state }: { state: SheetState }) {
  return state.error && <div className="mt-3">{<ErrorBox error={state.error} />}</div>;
}

/** The form itself, once the tool's schema is loaded. */
export function ToolFields({ tool, args, action, onRun }: { tool: string; args: Args; action: string; onRun: (args: JsonValue) => void }) {
  return <WithTool tool={tool}>{(row) => <Fields key={JSON.stringify(args)} row={row} args={args} action={action} busy={false} onRun={onRun} />}</WithTool>;
}

function WithTool({ tool, children }: { tool: string; children: (row: ToolRow) => ReactNode }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const { data, error, reload } = useRpc('list_tools', nothing, revision);
  if (error) return <ErrorBox error={error} actions={<LinkButton onClick={reload}>Try again</LinkButton>} />;
  if (data === null) return <Loading lines={5} label="Reading the form" />;
  const row = data.find(({ name }) => name === tool);
  return row ? children(row) : <Empty>{tool} was not found. It may be switched off in Settings, Skills.</Empty>;
}

interface FieldsProps {
  readonly row: ToolRow;
  readonly args: Args;
  readonly action: string;
  readonly busy: boolean;
  readonly onRun: (args: JsonValue) => void;
  readonly below?: ReactNode;
  readonly focused?: boolean;
}

function Fields(props: FieldsProps) {
  const starts = useStarts(props.row.skill, props.row.input_schema);
  return starts === null ? <Loading lines={5} label="Reading the form" /> : <Filling {...props} starts={starts} />;
}

function Filling({ row, args, action, busy, onRun, below = null, focused = false, starts }: FieldsProps & { starts: Starts }) {
  const today = useApp((app) => app.status?.today ?? '');
  const values = useValuesInUse(row.skill, row.input_schema);
  const suggest = useNoteSearch(row.skill);
  const form = useSchemaForm(row.input_schema, args, { starts, values });
  const trouble = troubleOf(row);
  const run = () => {
    const filled = form.submit();
    if (filled !== null && trouble?.usable !== false && !busy) onRun(filled);
  };
  return (
    <>
      <div className="mb-3 flex items-start gap-2">
        <ToolPurpose plan={form.plan} description={row.description} />
        <EffectBadge effect={row.effect} />
      </div>
      {trouble && (
        <p role="status" className="mb-3 rounded-card bg-warn-soft px-3 py-2 text-small text-warn">
          {trouble.word}
          {trouble.message && <span className="text-fg-2">: {trouble.message}</span>}
        </p>
      )}
      <SchemaForm form={form} label={`Arguments of ${row.name}`} today={today} suggest={suggest} focused={focused} disabled={busy} onSubmit={run}>
        <div className="mt-5">
          <Button type="submit" variant="primary" keys={keyText('Ctrl ↵')} disabled={busy || trouble?.usable === false}>
            {action}
          </Button>
        </div>
        {below}
      </SchemaForm>
    </>
  );
}
