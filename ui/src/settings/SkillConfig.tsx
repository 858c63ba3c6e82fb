// A skill's configuration as a form of its schema, saved while typing.

import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';

import type { JsonValue, SkillDetail, UserError } from '../ipc';
import { ErrorBox, Icon, LinkButton } from '../shared';
import { argsOf, draftOf, SchemaForm, useSchemaForm } from '../shared/form';
import { Part } from './Part';
import { isEmptyConfig, ownAfter, same } from './own-config';
import type { Skills } from './useSkills';

/** Pause in typing that triggers a save, ms; leaving the field saves at once. */
const PAUSE = 700;

interface SkillConfigProps {
  /** For a skill with a schema. */
  readonly detail: SkillDetail;
  readonly name: string;
  readonly attempt: Skills['attempt'];
}

export function SkillConfig({ detail, name, attempt }: SkillConfigProps) {
  const { form, box, error, isChanged, said, leave, reset, takeBack } = useOwnConfig({ detail, attempt });
  return (
    <Part
      title="Configuration"
      note="saved as you type, used from the next call"
      action={
        isChanged && (
          <LinkButton data-testid="config-reset" onClick={reset}>
            Restore defaults
          </LinkButton>
        )
      }
    >
      {detail.config_problem && (
        <p role="status" className="mb-2.5 flex gap-2 rounded-card bg-warn-soft px-3 py-2">
          <Icon name="warn" size={14} className="mt-0.5 text-warn" />
          <span className="min-w-0 break-words">{detail.config_problem}</span>
        </p>
      )}
      <div
        ref={box}
        data-testid="skill-config"
        onBlur={leave}
      >
        <SchemaForm
          form={form}
          label={`Configuration of ${name}`}
          onSubmit={() => {
            form.submit();
            leave();
          }}
        />
      </div>
      {error && (
        <div className="mt-2.5">
          <ErrorBox error={error} />
        </div>
      )}
      <p role="status" data-testid="config-saved" className="mt-1.5 min-h-4.5 text-fg-3">
        {said}
        {takeBack !== null && (
          <LinkButton data-testid="config-undo" onClick={takeBack}>
            Undo
          </LinkButton>
        )}
      </p>
    </Part>
  );
}

/** The form, with debounced saving; follows the effective configuration. */
function useOwnConfig({ detail, attempt }: Pick<SkillConfigProps, 'detail' | 'attempt'>) {
  // Keeps the same object across reloads while its content is equal.
  const schema = useSame(detail.config_schema ?? {});
  const config = useSame(detail.config);
  const form = useSchemaForm(schema, config, { reader: 'person' });
  const box = useRef<HTMLDivElement>(null);
  const [saved, setSaved] = useState<'not yet' | 'saved' | 'reset'>('not yet');
  const [error, setError] = useState<UserError | null>(null);
  const [beforeReset, setBeforeReset] = useState<JsonValue | null>(null);
  /** Increases when a field is left. */
  const [left, setLeft] = useState(0);
  /** The last saved value, until the effective configuration was reloaded. */
  const [lastSent, setLastSent] = useState<{ after: SkillDetail; own: JsonValue }>({ after: detail, own: detail.own_config });
  const sent = lastSent.after === detail ? lastSent : { after: detail, own: detail.own_config };

  const send = useCallback(
    async (own: JsonValue) => {
      setLastSent({ after: detail, own });
      const refused = await attempt(detail.skill, { config: isEmptyConfig(own) ? null : own });
      setError(refused);
      return refused === null;
    },
    [attempt, detail],
  );

  const begun = useMemo(() => argsOf(form.plan, draftOf(form.plan, config)) ?? {}, [form.plan, config]);
  const own = detail.own_config ?? {};
  const wanted = ownAfter(own, begun, form.args);
  const unsaved = form.problems.length === 0 && !same(form.args, begun) && !same(wanted, sent.own ?? {});
  const save = useEffectEvent(() => {
    if (!unsaved) return;
    setBeforeReset(null);
    void send(wanted).then((done) => done && setSaved('saved'));
  });
  const typed = JSON.stringify(form.draft);
  useEffect(() => {
    const timer = setTimeout(() => save(), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    const timer = setTimeout(() => save());
    return () => clearTimeout(timer);
  }, [left]);
  // Save when the page is left.
  useEffect(() => () => save(), []);

  // While nobody types, the form shows the effective configuration: the default in an emptied field, or a
  // value changed in the file. Unsaved input stays.
  const lastBegun = useRef(begun);
  const follow = useEffectEvent(() => {
    const untouched = same(form.args, lastBegun.current);
    lastBegun.current = begun;
    const writing = box.current?.contains(document.activeElement) ?? false;
    if (!writing && form.problems.length === 0 && (untouched || same(wanted, own))) form.setDraft(draftOf(form.plan, config));
  });
  useEffect(() => follow(), [detail, left]);

  const reset = () => {
    const before = detail.own_config;
    setSaved('not yet');
    void send(null).then((done) => {
      if (!done) return;
      setSaved('reset');
      setBeforeReset(before);
    });
  };
  const takeBack = () => {
    void send(beforeReset).then((done) => done && setSaved('saved'));
    setBeforeReset(null);
  };

  return {
    form,
    box,
    error,
    /** Whether the user has own settings. */
    isChanged: !isEmptyConfig(own),
    said: saidOf({ isWrong: form.shown.length > 0, saved, isKept: error === null && !unsaved }),
    leave: () => setLeft((times) => times + 1),
    reset,
    takeBack: saved === 'reset' && beforeReset !== null ? takeBack : null,
  };
}

function saidOf({ isWrong, saved, isKept }: { isWrong: boolean; saved: 'not yet' | 'saved' | 'reset'; isKept: boolean }): string {
  if (isWrong) return 'Not saved: correct the field above.';
  if (saved === 'reset') return 'Defaults restored. ';
  return saved === 'saved' && isKept ? 'Saved.' : '';
}

function useSame(value: JsonValue): JsonValue {
  const written = JSON.stringify(value);
  return useMemo(() => JSON.parse(written) as JsonValue, [written]);
}
