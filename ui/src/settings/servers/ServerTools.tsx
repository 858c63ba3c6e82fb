// A server's tools: their effect as classified by the user, their cost, and whether they are enabled.

import type { Effect, Params, ServerToolView } from '../../ipc';
import { count, EffectBadge, Icon, Menu, Switch } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { Part } from '../Part';

type Change = Omit<NonNullable<Params<'set_server'>['tool']>, 'tool'>;

interface ServerToolsProps {
  /** None if unknown. */
  readonly tools: readonly ServerToolView[] | null;
  readonly onSet: (tool: string, change: Change) => void;
}

const effects: readonly { readonly effect: Effect; readonly label: string; readonly note: string }[] = [
  { effect: 'read', label: 'Read', note: 'runs without asking' },
  { effect: 'external', label: 'External', note: 'sends something out' },
  { effect: 'destructive', label: 'Destructive', note: 'cannot be undone' },
  { effect: 'send', label: 'Send', note: 'reaches a person' },
];

export function ServerTools({ tools, onSet }: ServerToolsProps) {
  if (tools === null) {
    return (
      <Part title="Tools" note="unknown">
        <p className="text-fg-3">The server lists them when it first starts.</p>
      </Part>
    );
  }
  const on = tools.filter((tool) => tool.on && tool.reason === null);
  const cost = on.reduce((sum, tool) => sum + tool.tokens, 0);
  const note = `${on.length} of ${tools.length} on, ${count(cost)} tokens when active. You set the effect.`;
  return (
    <Part title="Tools" note={note}>
      <table className="w-full table-fixed text-small">
        <thead className="text-left text-fg-3">
          <tr>
            <th className="font-normal">Tool</th>
            <th className="w-36 font-normal">Effect</th>
            <th className="w-14 text-right font-normal">Tokens</th>
            <th className="w-12 text-right font-normal">On</th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <Row key={tool.tool} tool={tool} onSet={(change) => onSet(tool.tool, change)} />
          ))}
        </tbody>
      </table>
    </Part>
  );
}

function Row({ tool, onSet }: { tool: ServerToolView; onSet: (change: Change) => void }) {
  const says = tool.hints.length > 0 ? `The server says: ${tool.hints.join(', ')}.` : 'The server does not say what it does.';
  return (
    <tr data-testid="server-tool" data-tool={tool.tool} className="h-6.5">
      <td className="pr-2" data-tip={[tool.description, says].filter(Boolean).join('\n')}>
        <p className="flex items-center gap-1.5">
          <span className="cut font-mono">
            <Revealed text={tool.tool} />
          </span>
          {tool.blocked && <span className="shrink-0 font-medium text-warn">blocked</span>}
          {!tool.blocked && tool.reason !== null && (
            <span className="shrink-0 font-medium text-danger" data-tip={tool.reason}>
              cannot be used
            </span>
          )}
        </p>
      </td>
      <td>
        <Menu
          groups={[
            {
              heading: 'What it does',
              items: effects.map(({ effect, label, note }) => ({
                label,
                note,
                checked: tool.effect === effect,
                onSelect: () => onSet({ effect }),
              })),
            },
            { items: [{ label: 'Not declared', note: 'each call asks', checked: tool.effect === null, onSelect: () => onSet({ effect: null }) }] },
          ]}
          footer={says}
        >
          <button
            type="button"
            data-testid="tool-effect"
            aria-label={`Effect of ${tool.tool}: ${tool.effect ?? 'not declared'}`}
            className="flex items-center gap-1.5 rounded-badge pr-1 hover:bg-hover"
          >
            {tool.effect === null ? <span className="text-fg-3">not declared</span> : <EffectBadge effect={tool.effect} />}
            <Icon name="chevron-down" size={12} className="text-fg-2" />
          </button>
        </Menu>
      </td>
      <td className="tabular text-right text-fg-2">{count(tool.tokens)}</td>
      <td>
        <span className="flex justify-end">
          <Switch checked={tool.on} onChange={(on) => onSet({ on })} label={`${tool.tool} on`} testId="server-tool-switch" />
        </span>
      </td>
    </tr>
  );
}
