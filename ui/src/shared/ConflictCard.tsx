import { useId, useRef, useState } from 'react';

import type { ConflictSide } from '../ipc';
import { Button } from './Button';
import { clockTime, counted, isNote, noteName } from './format';
import { Icon } from './Icon';
import { revealed } from './invisible';
import { Revealed } from './Revealed';
import { differences, type Difference, type Side } from './sides';
import { useArmed } from './useArmed';
import { useAttempt } from './useAttempt';

interface ConflictCardProps {
  readonly note: string;
  /** What both changed, such as a property's name; empty if only the texts are known. */
  readonly what: readonly string[];
  readonly mine: string;
  readonly theirs: string;
  /** Label of Nova's side: "Nova, this turn". */
  readonly mineLabel: string;
  /** Label of the user's side: "In Obsidian, 14:33". */
  readonly theirsLabel: string;
  /** Label of the button that writes Nova's side: "Use Nova’s". */
  readonly useMine: string;
  /** The chosen side; the card is then one line. */
  readonly decided: { readonly keep: ConflictSide; readonly at: string } | null;
  /**
   * Resolves to whether the note was edited again, so that the choice must be repeated. Rejects with a
   * `UserError`.
   */
  readonly onChoose: (keep: ConflictSide) => Promise<{ readonly again: boolean }>;
  readonly onOpen: () => void;
}

/**
 * Both sides of a note or file with conflicting edits of the user and Nova. It stays as the user left it
 * until a side is chosen.
 */
export function ConflictCard(props: ConflictCardProps) {
  const place = useRef<HTMLDivElement>(null);
  // The focused buttons disappear; focus the result instead.
  const onChoose: ConflictCardProps['onChoose'] = (keep) => {
    place.current?.focus({ preventScroll: true });
    return props.onChoose(keep);
  };
  return (
    <div ref={place} tabIndex={-1} className="rounded-message">
      {props.decided ? <Decided note={props.note} decided={props.decided} /> : <Undecided {...props} onChoose={onChoose} />}
    </div>
  );
}

function Undecided({ note, what, mine, theirs, mineLabel, theirsLabel, useMine, onChoose, onOpen }: ConflictCardProps) {
  const title = useId();
  const { busy, problem, attempt } = useAttempt();
  const [again, setAgain] = useState(false);
  const armed = useArmed(theirs);
  const places = differences(theirs, mine);
  const { name, folder } = noteName(note);
  const changed = what.length > 0 ? what : keysOf(places);
  const off = busy || (again && !armed);
  const inVault = isNote(note);

  const choose = (keep: ConflictSide) => attempt(async () => setAgain((await onChoose(keep)).again));
  return (
    <section
      data-testid="conflict-card"
      data-path={note}
      aria-labelledby={title}
      className="@container flex flex-col gap-2.5 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <Icon name="warn" size={14} className="text-warn" />
        <h2 id={title} className="text-body font-semibold">
          Both of you changed {changed.length > 0 && changed.length <= 2 ? <Revealed text={changed.join(' and ')} /> : counted(Math.max(places.length, 1), 'place')}
        </h2>
        <span className="ml-auto text-small text-fg-3" data-tip={revealed(folder)}>
          <Revealed text={name} />
          {places.length === 1 && `, line ${firstLine(places[0])}`}
        </span>
      </div>
      <div
        role="region"
        aria-label="Both sides"
        tabIndex={0}
        className="grid max-h-[40vh] gap-2 overflow-y-auto rounded-badge @md:grid-cols-2"
      >
        <SideBox label={theirsLabel} sides={places.map((place) => place.left)} />
        <SideBox label={mineLabel} sides={places.map((place) => place.right)} />
      </div>
      {again && (
        <p role="alert" className="flex items-center gap-2 text-small text-warn">
          <Icon name="refresh" size={14} /> Edited again, so nothing was written. Check it again.
        </p>
      )}
      {problem && (
        <p role="alert" className="text-small text-danger">
          {problem.message} {problem.hint}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={off} onClick={() => void choose('theirs')} data-testid="conflict-keep">
          {inVault ? 'Keep Obsidian’s' : 'Keep the file’s'}
        </Button>
        <Button disabled={off} onClick={() => void choose('mine')} data-testid="conflict-use">
          {useMine}
        </Button>
        {inVault && (
          <Button variant="quiet" onClick={onOpen}>
            Open in Obsidian
          </Button>
        )}
      </div>
    </section>
  );
}

/** The decision, in one line. */
function Decided({ note, decided }: { note: string; decided: NonNullable<ConflictCardProps['decided']> }) {
  const { name } = noteName(note);
  return (
    <p role="status" data-testid="conflict-decided" data-path={note} className="flex min-h-5 items-center gap-2 text-small text-fg-2">
      <Icon name="check" size={14} className="mx-0.5 text-ok" />
      <span className="min-w-0">
        <Revealed text={decided.keep === 'theirs' ? `${name} stays as it is, nothing was written` : `Nova’s side is written to ${name}`} />, by you
      </span>
      <span aria-hidden="true" className="h-px min-w-4 flex-1 bg-line" />
      <time dateTime={decided.at}>{clockTime(decided.at)}</time>
    </p>
  );
}

function SideBox({ label, sides }: { label: string; sides: readonly (readonly Side[])[] }) {
  return (
    <div role="group" aria-label={label} className="overflow-hidden rounded-control border border-line">
      <p className="border-b border-line bg-surface-side px-2.5 py-1 text-small text-fg-2">{label}</p>
      <div className="selectable py-1 font-mono text-small">
        {sides.map((lines, index) => (
          <div key={index} className={index > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
            {lines.map((line) => (
              <p key={line.number} className={`px-2.5 break-words whitespace-pre-wrap ${line.differs ? 'text-fg' : 'text-fg-3'}`}>
                <Revealed text={line.text || ' '} />
              </p>
            ))}
            {lines.every((line) => !line.differs) && <p className="px-2.5 font-sans text-fg-3">empty</p>}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The properties that differ, if nothing else does. */
function keysOf(places: readonly Difference[]): string[] {
  const keys = places.flatMap(({ left, right }) =>
    [...left, ...right].filter((line) => line.differs).map((line) => /^([\w-]+):( |$)/.exec(line.text)?.[1] ?? null),
  );
  return keys.includes(null) ? [] : [...new Set(keys.filter((key) => key !== null))];
}

function firstLine(place: Difference | undefined): number {
  return place?.left.find((line) => line.differs)?.number ?? place?.left[0]?.number ?? 1;
}
