import { useId } from 'react';

import { Button } from './Button';
import { counted, noteName } from './format';
import { Icon } from './Icon';
import { Revealed } from './Revealed';
import { differences, type Difference, type Side } from './sides';

interface ConflictCardProps {
  readonly note: string;
  /** What both changed, such as a property's name; none where only the texts are known. */
  readonly what: readonly string[];
  readonly mine: string;
  readonly theirs: string;
  /** Over Nova's side: "Nova, this turn". */
  readonly mineLabel: string;
  /** Over the user's side: "In Obsidian, 14:33". */
  readonly theirsLabel: string;
  /** Leaves the note as it is. */
  readonly onKeep: () => void;
  readonly onOpen: () => void;
}

/** Both sides of a note that the user and Nova changed differently. The note is as the user left it. */
export function ConflictCard({ note, what, mine, theirs, mineLabel, theirsLabel, onKeep, onOpen }: ConflictCardProps) {
  const title = useId();
  const places = differences(theirs, mine);
  const { name, folder } = noteName(note);
  const changed = what.length > 0 ? what : keysOf(places);
  return (
    <section
      data-testid="conflict-card"
      aria-labelledby={title}
      className="@container flex flex-col gap-2.5 rounded-message border border-warn-line bg-surface-raised p-3.5"
    >
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <Icon name="warn" size={14} className="text-warn" />
        <h3 id={title} className="text-body font-semibold">
          Both of you changed {changed.length > 0 && changed.length <= 2 ? changed.join(' and ') : counted(Math.max(places.length, 1), 'place')}
        </h3>
        <span className="ml-auto text-small text-fg-3" title={folder}>
          {name}
          {places.length === 1 && `, line ${firstLine(places[0])}`}
        </span>
      </div>
      <div className="grid max-h-[40vh] gap-2 overflow-y-auto @md:grid-cols-2">
        <SideBox label={theirsLabel} sides={places.map((place) => place.left)} />
        <SideBox label={mineLabel} sides={places.map((place) => place.right)} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" onClick={onKeep} data-testid="conflict-keep">
          Keep Obsidian’s
        </Button>
        <Button variant="quiet" onClick={onOpen}>
          Open note
        </Button>
      </div>
    </section>
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
            {lines.every((line) => !line.differs) && <p className="px-2.5 font-sans text-fg-3">nothing here</p>}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The properties that differ, where nothing else does. */
function keysOf(places: readonly Difference[]): string[] {
  const keys = places.flatMap(({ left, right }) =>
    [...left, ...right].filter((line) => line.differs).map((line) => /^([\w-]+):( |$)/.exec(line.text)?.[1] ?? null),
  );
  return keys.includes(null) ? [] : [...new Set(keys.filter((key) => key !== null))];
}

function firstLine(place: Difference | undefined): number {
  return place?.left.find((line) => line.differs)?.number ?? place?.left[0]?.number ?? 1;
}
