// Applies the settings with one confirmation, and reverts them. Neither changes notes.

import { Button, clockTime, ErrorBox, Icon, keyText, LinkButton } from '../../shared';
import { isChanged } from './draft';
import type { RecordsPageState } from './useRecordsPage';

interface FooterProps {
  readonly state: RecordsPageState;
  readonly small: boolean;
  readonly asText: boolean;
  readonly onText: () => void;
  readonly onClose: () => void;
}

export function Footer({ state, small, asText, onText, onClose }: FooterProps) {
  const { draft, busy, problem, inUse, asked } = state;
  const changed = isChanged(draft);
  const faulty = (draft.page?.faults.length ?? 0) > 0;
  const isSet = draft.page !== null && draft.page.in_force !== null;
  return (
    <footer className="shrink-0 border-t border-line bg-surface text-small">
      {problem && (
        <div className="px-5 pt-2">
          <ErrorBox error={problem} />
        </div>
      )}
      {asked !== null ? (
        <NearlyAll said={asked} state={state} />
      ) : (
        <div className="flex h-14 items-center gap-2.5 px-5">
          <Icon name={isSet && !changed ? 'check' : 'shield'} className="text-ok" />
          {isSet && !changed ? (
            <p role="status" className="min-w-0 flex-1">
              {inUse === null ? 'In use, as you set it.' : `In use since ${clockTime(inUse.at)}, by you.`}{' '}
              <LinkButton disabled={busy} onClick={state.takeBack} data-testid="records-take-back">
                {draft.page?.is_own === true ? 'Remove this type' : 'Take back'}
              </LinkButton>
            </p>
          ) : (
            <p className="cut min-w-0 flex-1">
              <span className="font-semibold">No note is changed.</span>{' '}
              <span className="text-fg-2">Nova keeps this in its settings{small ? '.' : ', and you can take it back here.'}</span>
            </p>
          )}
          {!small && (
            <Button variant="quiet" icon="code" aria-pressed={asText} onClick={onText}>
              {asText ? 'Show as tables' : 'Show as text'}
            </Button>
          )}
          <Button onClick={onClose}>{isSet && !changed ? 'Close' : 'Not now'}</Button>
          <Button
            variant="primary"
            keys={keyText('Ctrl ↵')}
            disabled={busy || !changed || faulty}
            onClick={() => state.apply()}
            data-testid="use-records"
          >
            Use these
          </Button>
        </div>
      )}
    </footer>
  );
}

/** Rules that match nearly the whole vault are probably a mistake. */
function NearlyAll({ said, state }: { said: string; state: RecordsPageState }) {
  return (
    <div role="alertdialog" aria-label="These rules take nearly every note" className="flex min-h-14 items-center gap-2.5 bg-warn-soft px-5 py-2">
      <Icon name="warn" className="text-warn" />
      <p className="selectable min-w-0 flex-1">{said}. Do you mean that?</p>
      <Button disabled={state.busy} onClick={() => state.apply(true)}>
        Use them anyway
      </Button>
      <Button variant="primary" autoFocus onClick={state.leave}>
        Change the rules
      </Button>
    </div>
  );
}
