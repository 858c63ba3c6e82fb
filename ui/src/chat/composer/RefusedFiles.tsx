import { Icon, IconButton } from '../../shared';

/** Files that are not sent with the message, each with the reason. */
export function RefusedFiles({ reasons, onHide }: { reasons: readonly string[]; onHide: () => void }) {
  if (reasons.length === 0) return null;
  return (
    <div role="alert" data-testid="files-refused" className="mb-2 flex items-start gap-2.5 rounded-card bg-warn-soft px-2.5 py-1.5 text-small">
      <Icon name="warn" size={14} className="mt-0.5 text-warn" />
      <ul className="selectable min-w-0 flex-1">
        {reasons.map((reason, at) => (
          <li key={at}>{reason}</li>
        ))}
      </ul>
      <IconButton icon="x" iconSize={12} label="Hide" className="-my-1 -mr-1.5 size-6" onClick={onHide} />
    </div>
  );
}
