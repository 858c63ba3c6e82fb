import { useRef, useState } from 'react';

import { Button, Icon, IconButton, Popover } from '../../shared';
import { numberText } from '../../shared/amount';
import { Choice } from './Choice';
import { FieldOptions } from './ConditionRow';
import { useScreener } from './context';
import type { Preference } from './draft';
import { conditionName } from './words';

/** The weighted figures that rank the hits. */
export function ScoreField() {
  const { opened, screens, edit } = useScreener();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { score } = opened.draft;
  const said = score.map((part) => (part.weight === '' ? conditionName(part, screens.fields) : `${conditionName(part, screens.fields)} ${numberText(part.weight)} %`)).join(', ');
  const free = screens.fields.find(({ key }) => !score.some(({ field }) => field === key));
  return (
    <div className="flex flex-col gap-1">
      <span className="text-small text-fg-2">Score from</span>
      <Popover
        label="Score"
        open={open}
        onOpenChange={setOpen}
        returnTo={() => button.current}
        trigger={
          <Button ref={button} className="w-full justify-start! border-line-control! px-2! text-small! font-normal!">
            <span className="sr-only">Score from: </span>
            <span className={`cut min-w-0 flex-1 text-left ${said === '' ? 'text-fg-3' : ''}`}>{said || 'No score: in the order of the list'}</span>
            <Icon name="chevron-down" size={12} className="text-fg-2" />
          </Button>
        }
      >
        <div className="flex w-80 flex-col gap-1.5">
          {score.map((part) => (
            <PreferenceRow key={part.key} part={part} />
          ))}
          {score.length === 0 && <p className="text-small text-fg-2">Hits with a lower or higher figure come first.</p>}
          <span>
            <Button size="s" variant="quiet" icon="plus" disabled={free === undefined} onClick={() => free && edit({ type: 'preferred', field: free.key })}>
              Add figure
            </Button>
          </span>
        </div>
      </Popover>
    </div>
  );
}

function PreferenceRow({ part }: { part: Preference }) {
  const { screens, edit } = useScreener();
  const { key, field, prefer, weight } = part;
  const name = conditionName(part, screens.fields);
  const change = (next: Partial<Preference>) => edit({ type: 'preference', key, part: next });
  return (
    <div className="flex items-center gap-1">
      {field === null ? (
        <span className="cut min-w-0 flex-1 font-mono text-small">{part.text}</span>
      ) : (
        <>
          <Choice label="Figure" className="min-w-0 flex-1" value={field} onChange={(next) => change({ field: next })}>
            <FieldOptions fields={screens.fields} />
          </Choice>
          <Choice label={`Better of ${name}`} bare className="w-14 shrink-0" value={prefer} onChange={(next) => change({ prefer: next === 'low' ? 'low' : 'high' })}>
            <option value="low">low</option>
            <option value="high">high</option>
          </Choice>
          <input
            aria-label={`Weight of ${name} in percent`}
            inputMode="decimal"
            value={weight}
            onChange={(event) => /^\d{0,3}(\.\d{0,2})?$/.test(event.target.value) && change({ weight: event.target.value })}
            className="selectable h-7 w-12 shrink-0 rounded-control border border-line-control bg-surface-raised px-2 text-right text-small text-fg"
          />
          <span className="text-small text-fg-2">%</span>
        </>
      )}
      <IconButton icon="x" iconSize={12} label={`Remove ${name} from the score`} className="-mr-1.5" onClick={() => edit({ type: 'unpreferred', key })} />
    </div>
  );
}
