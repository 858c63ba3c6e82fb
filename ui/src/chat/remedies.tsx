// Links to remedies for failures shown on this page.

import { type ErrorCode, type UserError } from '../ipc';
import { ErrorBox, LinkButton } from '../shared';
import { useActions } from '../state/hooks';

/** The links for this error; none if retrying is the only remedy. */
export function Remedies({ code }: { code: ErrorCode }) {
  const { show, newChat } = useActions();
  const settings = (page: 'models' | 'credentials', label: string) => (
    <LinkButton className="text-small" onClick={() => show({ kind: 'settings', page })}>
      {label}
    </LinkButton>
  );
  return (
    <>
      {locked.has(code) && settings('credentials', code === 'credential_needed' ? 'Add key' : 'Unlock')}
      {code === 'provider_refused_key' && settings('credentials', 'Change the key')}
      {aboutModel.has(code) && settings('models', code === 'no_model' ? 'Choose a model' : 'Switch model')}
      {full.has(code) && (
        <LinkButton className="text-small" onClick={newChat}>
          New chat
        </LinkButton>
      )}
    </>
  );
}

/** An unsent message's error with its remedy. */
export function SendProblem({ problem }: { problem: UserError }) {
  const can = locked.has(problem.code) || aboutModel.has(problem.code) || full.has(problem.code);
  return <ErrorBox error={problem} {...(can ? { actions: <Remedies code={problem.code} /> } : {})} />;
}

/** Errors fixed by unlocking the credential store or adding a key. */
const locked = new Set<ErrorCode>(['passphrase_needed', 'no_credential_store', 'credential_store', 'credential_needed']);

/** Errors fixed by a new chat, which has room, or nothing private. */
const full = new Set<ErrorCode>(['context_too_small', 'private']);

const aboutModel = new Set<ErrorCode>([
  'no_model',
  'unknown_model',
  'provider_not_agreed',
  'provider_unreachable',
  'provider_refused_key',
  'provider_rate_limited',
  'provider_timeout',
  'provider_truncated',
  'provider_filtered',
  'provider_empty',
  'provider_bad_response',
  'model_without_tools',
  'model_without_images',
  'context_too_small',
  'private',
  'provider_failed',
]);
