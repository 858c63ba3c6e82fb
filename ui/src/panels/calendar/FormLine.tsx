import type { ReactNode } from 'react';

import { LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { ruleText } from './new-event';

/** A line of a form: its label beside the field. */
export function FormLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 text-small">
      <span aria-hidden="true" className="w-14 shrink-0 pt-1.5 text-fg-3">
        {label}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

interface RepeatsProps {
  readonly rule: string;
  /** Whether some dates differ from the rule. */
  readonly exceptions: boolean;
  readonly onRemove: () => void;
}

/** The recurrence of a new event that was taken from a calendar file. */
export function Repeats({ rule, exceptions, onRemove }: RepeatsProps) {
  return (
    <FormLine label="Repeats">
      <p className="pt-1.5">
        <span data-tip={rule}>
          <Revealed text={ruleText(rule)} />
        </span>{' '}
        <LinkButton aria-label="Do not repeat it" onClick={onRemove}>
          Remove
        </LinkButton>
      </p>
      {exceptions && <p className="text-meta text-warn">Some dates differ from this rule and are not copied.</p>}
    </FormLine>
  );
}
