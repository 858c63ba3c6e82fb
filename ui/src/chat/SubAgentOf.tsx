import { Icon, LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';
import { openRow, titleOf } from '../state/app';
import { useActions, useApp } from '../state/hooks';

/** Above a sub-agent's chat: the link to its parent. */
export function SubAgentOf() {
  const parent = useApp((app) => openRow(app)?.parent ?? null);
  const title = useApp((app) => titleOf(app.sessions.find(({ id }) => id === parent) ?? null));
  const { openSession } = useActions();
  if (parent === null) return null;
  return (
    <p data-testid="subagent-of" className="flex items-center gap-2 text-small text-fg-3">
      <Icon name="people" size={14} /> Sub-agent of
      <LinkButton onClick={() => void openSession(parent)}>
        <Revealed text={title} />
      </LinkButton>
    </p>
  );
}
