import type { Confidence } from '../../ipc';
import { Badge } from '../../shared';

interface ConfidenceBadgeProps {
  readonly confidence: Confidence;
  /** Number of values without a chosen meaning. */
  readonly open?: number;
  readonly children?: string;
}

/** The confidence that notes are records, or a property a field, with the reason. */
export function ConfidenceBadge({ confidence, open = 0, children = '' }: ConfidenceBadgeProps) {
  return (
    <span className="flex items-center gap-2">
      {open > 0 ? (
        <Badge tone="warn" icon="warn">
          needs a look
        </Badge>
      ) : confidence === 'sure' ? (
        <Badge tone="ok" icon="check">
          sure
        </Badge>
      ) : (
        <Badge>{confidence}</Badge>
      )}
      <span className="cut text-fg-2" data-tip={children === '' ? undefined : children}>
        {children}
      </span>
    </span>
  );
}
