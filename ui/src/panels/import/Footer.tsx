// The primary button, and why it is disabled.

import type { ReactNode } from 'react';

import { Button, count, counted, Icon, keyText, LinkButton } from '../../shared';
import { useApp } from '../../state/hooks';
import { useCall } from '../skill/Region';
import { blockOf, countsOf, type Primary } from './state';
import type { Importing } from './useImport';

interface FooterProps {
  readonly importing: Importing;
  readonly primary: Primary;
  /** Esc was pressed with unsaved answers. */
  readonly leaving: boolean;
  readonly onAct: () => void;
  readonly onStay: () => void;
  readonly onClose: () => void;
  readonly onCancel: () => void;
}

export function Footer({ importing, primary, leaving, onAct, onStay, onClose, onCancel }: FooterProps) {
  const { state } = importing;
  const gone = useVaultGone();
  if (leaving) {
    return (
      <Bar>
        <span role="alert" className="flex-1">
          Close without importing? Your answers are discarded.
        </span>
        <Button variant="danger" onClick={onClose}>
          Discard
        </Button>
        <Button autoFocus onClick={onStay}>
          Keep editing
        </Button>
      </Bar>
    );
  }
  if (state.file === null && state.error === null) {
    return (
      <Bar>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <span className="flex-1 text-right text-small text-fg-2">Nothing is written yet.</span>
      </Bar>
    );
  }
  return (
    <Bar>
      <Button variant="primary" data-testid="import-primary" keys={keyText('Ctrl ↵')} disabled={primary.kind === 'none' || (gone !== null && primary.kind === 'import')} onClick={onAct}>
        {label(primary)}
      </Button>
      {primary.kind !== 'close' && (
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Beside importing={importing} primary={primary} />
    </Bar>
  );
}

function Bar({ children }: { children: ReactNode }) {
  return <footer className="flex min-h-14 shrink-0 items-center gap-2 border-t border-line bg-surface px-5 py-2">{children}</footer>;
}

function label(primary: Primary): string {
  switch (primary.kind) {
    case 'answer':
      return `Answer ${counted(primary.count, 'question')}`;
    case 'import':
      return `Import ${count(primary.count)}`;
    case 'close':
      return 'Close';
    case 'none':
      return 'Import';
  }
}

function Beside({ importing, primary }: { importing: Importing; primary: Primary }) {
  const { state, say } = importing;
  const gone = useVaultGone();
  const side = 'flex min-w-0 flex-1 items-center justify-end gap-2 text-small';
  if (state.run !== null) {
    return (
      <span className={`${side} text-fg-2`}>
        <Icon name="spinner" size={14} />
        <Running run={state.run} />
        <LinkButton onClick={importing.stop}>Stop</LinkButton>
      </span>
    );
  }
  if (gone !== null) {
    return (
      <span role="alert" data-testid="import-vault-gone" className={`${side} text-danger`}>
        {gone}
      </span>
    );
  }
  const block = blockOf(state);
  if (block !== null && primary.kind !== 'answer') {
    const { remedy } = block;
    return (
      <span role="alert" data-testid="import-error" className={`${side} text-danger`}>
        <span className="selectable text-right">{block.message}</span>
        {remedy !== null && (
          <LinkButton
            className="shrink-0"
            onClick={() => say(remedy.does === 'columns' ? { type: 'columns', open: true } : { type: 'decided', lines: remedy.lines, decision: { import: false } })}
          >
            {remedy.label}
          </LinkButton>
        )}
      </span>
    );
  }
  return <span className={`${side} text-right text-fg-2`}>{summaryText(importing, primary)}</span>;
}

/** Why nothing can be written, if the vault's folder is missing. */
function useVaultGone(): string | null {
  const problem = useApp((app) => app.status?.vault_problem ?? null);
  return problem === null ? null : problem.message;
}

/** "Reading 1,200 of 4,800 lines", if the tool reports progress. */
function Running({ run: { id, kind } }: { run: { readonly id: string; readonly kind: 'reading' | 'importing' } }) {
  const message = useCall(id)?.progress?.message ?? null;
  const doing = kind === 'reading' ? 'Reading the file' : 'Importing';
  return (
    <>
      {message !== null && <span aria-hidden="true">{message}</span>}
      {/* Announcing each step would be too much. */}
      <span role="status" className={message === null ? '' : 'sr-only'}>
        {doing}
      </span>
    </>
  );
}

function summaryText({ state }: Importing, primary: Primary): string {
  const there = state.review?.alreadyThere ?? 0;
  if (primary.kind === 'close' && there > 0) return `All ${count(there)} are in your notes already.`;
  if (primary.kind === 'close') return 'Nothing to import.';
  const { leftOut, withoutCategory } = countsOf(state);
  const words = [
    leftOut > 0 && `${leftOut} left out by you`,
    there > 0 && `${count(there)} in your notes already`,
    withoutCategory > 0 && `${count(withoutCategory)} without a category`,
  ].filter((one) => one !== false);
  return primary.kind === 'import' && words.length > 0 ? words.join(', ') : 'Nothing is written yet.';
}
