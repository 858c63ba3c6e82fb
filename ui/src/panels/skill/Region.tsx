import type { ReactNode } from 'react';

import { ApprovalCard } from '../../chat/ApprovalCard';
import type { JsonValue, PanelEmpty } from '../../ipc';
import { count, Empty, ErrorBox, LinkButton, Loading } from '../../shared';
import { figuresOf } from '../../shared/figures';
import { useSession } from '../../state/hooks';
import type { CallItem } from '../../state/session';
import { ActionButton } from './ActionButton';
import { notShown } from './answer';
import { usePanel, type Figures } from './context';
import type { Read } from './state';

/** A tool's output as rendered by the parts of a panel. */
export interface Shown {
  readonly value: JsonValue;
  readonly figures: Figures;
  readonly read: Read;
}

/**
 * The frame of a part: grey bars before its first data, dimmed during a reload, and errors. The rest of the
 * panel keeps working.
 */
export function Region({
  read,
  lines = 3,
  loading,
  children,
}: {
  read: Read | null;
  lines?: number;
  /** Replaces the grey bars. */
  loading?: ReactNode;
  children: (shown: Shown) => ReactNode;
}) {
  const panel = usePanel();
  const result = read?.result ?? null;
  return (
    <>
      {read?.error && (
        <div className="p-3">
          <ErrorBox error={read.error} actions={<LinkButton onClick={panel.again}>Try again</LinkButton>} />
        </div>
      )}
      {read?.run && <Asking run={read.run} />}
      {read === null || (result === null && !read.error) ? (
        (loading ?? (
          <div className="p-3">
            <Loading lines={lines} label="Reading" />
          </div>
        ))
      ) : (
        result !== null && (
          <div
            aria-busy={read.run !== null}
            className={`contents [&>*]:transition-opacity ${read.run !== null ? '[&>*]:opacity-60' : ''}`}
          >
            {children({
              value: result.value ?? null,
              figures: new Map(figuresOf(read.tool, result.figures, result.sources).map((figure) => [figure.view.at, figure])),
              read,
            })}
          </div>
        )
      )}
    </>
  );
}

/** The call of a run, once it has begun. */
export function useCall(run: string): CallItem | undefined {
  return useSession(run)
    .turns.flatMap(({ items }) => items)
    .find((item): item is CallItem => item.kind === 'call');
}

/** A rule may require approval, also for calls made by a panel. */
export function Asking({ run }: { run: string }) {
  const call = useCall(run);
  if (call?.state !== 'waiting') return null;
  return (
    <div className="p-3">
      <ApprovalCard call={call} session={run} />
    </div>
  );
}

/** Number of omitted rows. Nothing is silently missing. */
export function NotShown({ value }: { value: JsonValue | null }) {
  const left = notShown(value);
  if (left === 0) return null;
  return (
    <p role="note" className="px-4 py-2 text-small text-warn">
      {count(left)} more {left === 1 ? 'is' : 'are'} not shown.
    </p>
  );
}

/** Shown without rows. */
export function Nothing({ empty, fallback }: { empty: PanelEmpty | null; fallback: string }) {
  const { filter } = usePanel();
  if (filter.trim() !== '') return <Empty>Nothing matches “{filter.trim()}”.</Empty>;
  return <Empty action={empty?.action && <ActionButton action={empty.action} />}>{empty?.text ?? fallback}</Empty>;
}
