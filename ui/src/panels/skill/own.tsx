// A skill's own panel, for content beyond a declaration: `skills/<id>/ui/index.tsx`. It uses only
// `ui/src/shared` and `ui/src/ipc`, and gets its data only from its skill's tools.

import { lazy, Suspense, type ComponentType } from 'react';

import { useBackend, type JsonValue, type ToolResult } from '../../ipc';
import { Loading } from '../../shared';
import { useApp } from '../../state/hooks';
import { failed } from './useReads';

/** The default export of `skills/<id>/ui/index.tsx`. */
export type OwnPanelComponent = ComponentType<OwnPanelProps>;

export interface OwnPanelProps {
  /** Whether it replaces the conversation. */
  readonly wide: boolean;
  /** Increases when notes changed, so loaded data may be stale. */
  readonly revision: number;
  /** Calls a tool of the skill by its short name, such as `list`. A failure is a result that is not `ok`. */
  call(tool: string, args: Readonly<Record<string, JsonValue>>): Promise<ToolResult>;
}

type Load = () => Promise<{ default: OwnPanelComponent }>;

/** By skill; loaded lazily. */
export const ownPanels: Readonly<Record<string, OwnPanelComponent>> = panelsIn(
  import.meta.glob<{ default: OwnPanelComponent }>('../../../../skills/*/ui/index.tsx'),
);

/** `…/skills/crm/ui/index.tsx` → `crm` */
export function panelsIn(found: Readonly<Record<string, Load>>): Record<string, OwnPanelComponent> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([path, load]) => {
      const skill = /\/skills\/([^/]+)\/ui\/index\.tsx$/.exec(path)?.[1];
      return skill === undefined ? [] : [[skill, lazy(load)]];
    }),
  );
}

export function OwnPanel({ skill, wide, Panel }: { skill: string; wide: boolean; Panel: OwnPanelComponent }) {
  const backend = useBackend();
  const revision = useApp(({ revisions }) => revisions.changes);
  const call: OwnPanelProps['call'] = (tool, args) => {
    // A qualified name would be another skill's.
    if (tool.includes('.')) return Promise.resolve(failed(new Error(`${tool} is not a tool of ${skill}`)));
    return backend.rpc('call_tool', { tool: `${skill}.${tool}`, args: { ...args }, run: `panel-${crypto.randomUUID()}` }).catch(failed);
  };
  return (
    <Suspense fallback={<Loading lines={4} />}>
      <Panel wide={wide} revision={revision} call={call} />
    </Suspense>
  );
}
