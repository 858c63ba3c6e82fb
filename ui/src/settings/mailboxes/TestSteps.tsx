// The steps of a test with their results; a failed one with the server's message and the remedy.

import type { MailboxTest } from '../../ipc';
import { Icon } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { stepText } from './mailbox-rows';

export function TestSteps({ test }: { test: MailboxTest }) {
  return (
    <ol aria-label="Test" data-testid="mailbox-test" className="flex flex-col gap-0.5">
      {test.steps.map((step) => (
        <li key={step.step} className="flex gap-2">
          <Icon name={step.problem ? 'failed' : 'check'} size={12} className={`mt-0.75 shrink-0 ${step.problem ? 'text-danger' : 'text-ok'}`} />
          <span className="selectable min-w-0 break-words">
            <Revealed text={stepText(step)} />
            <span className="sr-only">{step.problem ? ': failed' : ': done'}</span>
            {step.problem && (
              <>
                <br />
                <span className="text-danger">
                  <Revealed text={step.problem.message} />
                </span>{' '}
                <span className="text-fg-2">{step.problem.hint}</span>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
