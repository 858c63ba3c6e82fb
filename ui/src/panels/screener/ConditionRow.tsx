import { useEffect, useId, useRef, useState } from 'react';

import { IconButton } from '../../shared';
import { focusIsLost, onceFocusMoved } from '../../shared/focus';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import type { Field, Operator } from './answers';
import { Choice } from './Choice';
import { useScreener } from './context';
import { conditionText, tidied, type Condition } from './draft';
import { conditionName } from './words';

/** Option that turns the row into a line of text. */
const LINE = '=';

/** A condition as field, operator and limit, or as a line; validated on blur. */
export function ConditionRow({ condition, isChanged }: { condition: Condition; isChanged: boolean }) {
  const { screens, edit, problems, checks, state } = useScreener();
  const id = useId();
  const [left, setLeft] = useState(condition.value !== '');
  const row = useRef<HTMLLIElement>(null);
  /** Typed since focus; a mere visit does not normalise the limit. */
  const typed = useRef(false);
  // Focuses a row just added.
  useEffect(() => {
    const isHere = focusIsLost() || row.current?.closest('[data-testid=skill-panel]')?.contains(document.activeElement) === true;
    if (!left && isHere) row.current?.querySelector<HTMLElement>('select, input')?.focus();
  }, []); // eslint-disable-line react-hooks/exhaustive-deps -- once
  const { key, field, value } = condition;
  const name = conditionName(condition, screens.fields);
  const check = field === null ? checks.get(condition.text) : undefined;
  // A line is checked while it is typed.
  const problem = left || state.checked || check !== undefined ? (problems.get(key) ?? null) : null;
  return (
    <li ref={row} data-condition={key} className="flex flex-col">
      <div className="flex items-center gap-1">
        {field === null ? (
          <Line condition={condition} isChanged={isChanged} invalid={problem !== null} describedBy={id} onLeave={() => setLeft(true)} />
        ) : (
          <>
            <FieldChoice condition={condition} />
            <Choice label={`Operator of ${name}`} bare className="w-16.5 shrink-0" value={condition.operator} onChange={(operator) => edit({ type: 'condition', key, part: { operator: operator as Operator } })}>
              <option value="below">below</option>
              <option value="above">above</option>
              <option value="between">between</option>
            </Choice>
            <input
              aria-label={`Limit of ${name}`}
              aria-invalid={problem !== null || undefined}
              aria-describedby={problem === null ? undefined : id}
              spellCheck={false}
              autoComplete="off"
              placeholder={exampleOf(screens.fields.find((one) => one.key === field))}
              value={value}
              onChange={(event) => {
                typed.current = true;
                edit({ type: 'condition', key, part: { value: event.target.value } });
              }}
              onBlur={() => {
                const tidy = typed.current ? tidied(condition, screens.fields) : value;
                typed.current = false;
                onceFocusMoved(() => {
                  setLeft(true);
                  if (tidy !== value) edit({ type: 'condition', key, part: { value: tidy } });
                });
              }}
              className={`selectable h-7 w-22 shrink-0 ${fieldClass(isChanged, problem !== null)}`}
            />
          </>
        )}
        <IconButton icon="x" iconSize={12} label={`Remove ${name}`} className="-mr-1.5 -ml-0.5" onClick={() => edit({ type: 'removed', key })} />
      </div>
      {problem === null && check !== undefined && check.reads.length > 0 && (
        <p className="pt-0.5 pb-1 text-small text-fg-2">
          Reads <Revealed text={check.reads.join(', ')} />
        </p>
      )}
      {problem !== null && (
        <p id={id} role="alert" className="pt-0.5 pb-1 text-small text-danger">
          <Revealed text={problem} />
        </p>
      )}
    </li>
  );
}

interface LineProps {
  readonly condition: Condition;
  readonly isChanged: boolean;
  readonly invalid: boolean;
  readonly describedBy: string;
  readonly onLeave: () => void;
}

function Line({ condition, isChanged, invalid, describedBy, onLeave }: LineProps) {
  const { edit } = useScreener();
  return (
    <input
      aria-label="Condition"
      aria-invalid={invalid || undefined}
      aria-describedby={invalid ? describedBy : undefined}
      spellCheck={false}
      autoComplete="off"
      placeholder="close > sma(close, 200)"
      value={condition.value}
      onChange={(event) => edit({ type: 'condition', key: condition.key, part: { value: event.target.value } })}
      onBlur={() => onceFocusMoved(onLeave)}
      className={`selectable h-7 min-w-0 flex-1 font-mono ${fieldClass(isChanged, invalid)}`}
    />
  );
}

const fieldClass = (isChanged: boolean, invalid: boolean) =>
  `rounded-control border px-2 text-small text-fg ${invalid ? 'border-danger' : isChanged ? 'border-accent' : 'border-line-control'} ${isChanged ? 'bg-accent-soft' : 'bg-surface-raised'}`;

/** Selects the field, grouped by its source. */
function FieldChoice({ condition }: { condition: Condition }) {
  const { screens, edit } = useScreener();
  const { key, field } = condition;
  const isKnown = screens.fields.some((one) => one.key === field);
  const choose = (next: string) => edit({ type: 'condition', key, part: next === LINE ? { field: null, value: conditionText(condition) } : { field: next } });
  return (
    <Choice label="Field" className="min-w-0 flex-1" value={field ?? LINE} onChange={choose}>
      {!isKnown && field !== null && <option value={field}>{revealed(field)}</option>}
      <FieldOptions fields={screens.fields} />
      <option value={LINE}>As a line…</option>
    </Choice>
  );
}

export function FieldOptions({ fields }: { fields: readonly Field[] }) {
  const groups = [
    { label: 'Prices and volume', of: fields.filter(({ needs }) => needs === 'closes') },
    { label: 'Company reports', of: fields.filter(({ needs }) => needs === 'reports') },
  ];
  return groups.map(
    ({ label, of }) =>
      of.length > 0 && (
        <optgroup key={label} label={label}>
          {of.map(({ key, name }) => (
            <option key={key} value={key}>
              {revealed(name)}
            </option>
          ))}
        </optgroup>
      ),
  );
}

/** "price_to_earnings < 18" → "18" */
function exampleOf(field: Field | undefined): string {
  return field?.example.replace(/^.*?(?:[<>]=?|between)\s*/, '') ?? '';
}
