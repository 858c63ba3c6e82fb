// A tool's purpose for users; on request its description for the model.

import { useState } from 'react';

import { LinkButton } from '../Button';
import { asSentence } from '../format';
import { firstSentence } from '../sentence';
import type { ObjectField } from './plan';

interface ToolPurposeProps {
  readonly plan: ObjectField;
  /** The model's version. */
  readonly description: string;
}

export function ToolPurpose({ plan, description }: ToolPurposeProps) {
  const [all, setAll] = useState(false);
  const purpose = asSentence(plan.help || firstSentence(description));
  const meant = plan.fields.filter(({ meaning }) => meaning !== '');
  const more = description.trim() !== purpose || meant.length > 0;
  return (
    <div className="selectable mt-0.5 min-w-0 flex-1 text-ui text-fg-2">
      <p>
        {purpose}
        {more && (
          <LinkButton className="ml-1.5" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Less' : 'When to use it'}
          </LinkButton>
        )}
      </p>
      {all && (
        <div className="mt-1.5 text-small break-words whitespace-pre-line">
          <p>{description}</p>
          {meant.length > 0 && (
            <dl className="mt-1.5">
              {meant.map(({ key, meaning }) => (
                <div key={key}>
                  <dt className="inline font-mono">{key}</dt>
                  <dd className="ml-1.5 inline">{meaning}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </div>
  );
}
