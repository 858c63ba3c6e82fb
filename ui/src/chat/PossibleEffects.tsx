import { Fragment, type ReactNode } from 'react';

import { LinkButton, noteName } from '../shared';
import { skillName } from '../state/app';
import { useActions, useApp } from '../state/hooks';
import type { CallItem } from '../state/session';
import { placesOf } from './possible-effects';

/** Maximum number of notes linked; the panel lists the others. */
const MOST_NOTES = 3;

/** The possible effects of a call with an unknown outcome, and where to check them. */
export function PossibleEffects({ call }: { call: CallItem }) {
  const { show, showPanel, openNote } = useActions();
  const { notes, files, changes, written, hosts, skill } = placesOf(call);
  const name = useApp((app) => (skill === null ? '' : skillName(app, skill)));
  if (call.effect === 'read') {
    // Tools of the chat itself have no skill and no form.
    const again = call.tool.includes('.') && (
      <LinkButton data-testid="try-call-again" onClick={() => show({ kind: 'run-tool', tool: call.tool, args: call.args })}>
        Try again
      </LinkButton>
    );
    return <>It changed nothing. {again}</>;
  }
  const ways: ReactNode[] = [];
  for (const path of notes.slice(0, MOST_NOTES)) {
    ways.push(
      <>
        at <LinkButton data-tip={path} onClick={() => openNote(path)}>{noteName(path).name}</LinkButton>
      </>,
    );
  }
  for (const path of files.slice(0, Math.max(0, MOST_NOTES - notes.length))) ways.push(<>at {path}</>);
  if (changes) {
    ways.push(
      <>
        in <LinkButton onClick={() => showPanel('changes')}>Changes</LinkButton>
      </>,
    );
  }
  if (written !== null) {
    ways.push(
      <>
        among the <LinkButton onClick={() => show({ kind: 'settings', page: 'skills', waiting: written })}>tools that wait for you</LinkButton>
      </>,
    );
  }
  if (hosts.length > 0) ways.push(`at ${hosts.join(', ')}`);
  if (skill !== null) {
    ways.push(
      <>
        at <LinkButton onClick={() => show({ kind: 'settings', page: 'skills', skill })}>{name} in the settings</LinkButton>
      </>,
    );
  }
  return (
    <>
      It may have happened, in full or in part.{' '}
      {ways.length > 0 && (
        <span data-testid="where-to-look">
          Look{' '}
          {ways.map((way, at) => (
            <Fragment key={at}>
              {at === 0 ? '' : at === ways.length - 1 ? ' or ' : ', '}
              {way}
            </Fragment>
          ))}
          .
        </span>
      )}
    </>
  );
}
