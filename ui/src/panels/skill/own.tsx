// A panel that a skill brings itself, where its declaration does not say enough: `skills/<id>/ui/index.tsx`.
// It draws with `ui/src/shared` and `ui/src/ipc` only, and has its data from its skill's tools only.

import { lazy, Suspense, type ComponentType } from 'react';

import { useBackend, type JsonValue, type ToolResult } from '../../ipc';
import { Loading } from '../../shared';
import { useApp } from '../../state/hooks';
import { failed } from './useReads';

/** What `skills/<id>/ui/index.tsx` gives as its default. */
export type OwnPanelComponent = ComponentType<OwnPanelProps>;

export interface OwnPanelProps {
  /** It has the conversation's place. */
  readonly wide: boolean;
  /** Grows when notes changed: what was read may be old. */
  readonly revision: number;
  /** Calls a tool of the skill by its own id, such as `list`. A failure is an answer that is not `ok`. */
  call(tool: string, args: Readonly<Record<string, JsonValue>>): Promise<ToolResult>;
}

type Load = () => Promise<{ default: OwnPanelComponent }>;

/** By skill; loaded when first shown. */
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
    // A name with a skill in it would be another's.
    if (tool.includes('.')) return Promise.resolve(failed(new Error(`${tool} is not a tool of ${skill}`)));
    return backend.rpc('call_tool', { tool: `${skill}.${tool}`, args: { ...args }, run: `panel-${crypto.randomUUID()}` }).catch(failed);
  };
  return (
    <Suspense fallback={<Loading lines={4} />}>
      <Panel wide={wide} revision={revision} call={call} />
    </Suspense>
  );
}
