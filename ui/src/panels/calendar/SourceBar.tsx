import { Banner, clockTime, IconButton, LinkButton, useOnline } from '../../shared';
import { useActions } from '../../state/hooks';
import { useCalendar } from './context';
import { ageText, isOutdated, type CalendarSource, type SourceColour } from './sources';

const marks: Record<SourceColour, string> = {
  c1: 'bg-c1 text-surface',
  c2: 'bg-c2 text-fg',
  c3: 'bg-c3 text-fg',
  c4: 'bg-c4 text-surface',
};

/** A calendar's letter, in its colour. */
export function Mark({ source: { letter, colour } }: { source: CalendarSource }) {
  return (
    <span aria-hidden="true" className={`inline-flex size-[0.9375rem] shrink-0 items-center justify-center rounded-badge text-[0.625rem] leading-none font-bold ${marks[colour]}`}>
      {letter}
    </span>
  );
}

/** All calendars with the age of remote ones; a click hides one or shows it again. */
export function Sources() {
  const { sources, state, dispatch, now, fetching } = useCalendar();
  const online = useOnline();
  if (sources.length === 0) return null;
  return (
    <div role="group" aria-label="Calendars" className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 px-3.5 pb-2 text-small">
      {sources.map((source) => {
        const shown = !state.hidden.includes(source.id);
        const age = ageText(source, now);
        const late = isOutdated(source, now) || source.problem !== null || (!online && source.remote);
        return (
          <button
            key={source.id}
            type="button"
            aria-pressed={shown}
            data-tip={`${shown ? 'Hide' : 'Show'} ${source.name}${source.readOnly ? ', read only' : ''}`}
            onClick={() => dispatch({ type: 'toggled', calendar: source.id })}
            className={`flex items-center gap-1.5 rounded-badge ${late ? 'text-warn' : 'text-fg-2'} ${shown ? '' : 'line-through'}`}
          >
            <span className={shown ? 'contents' : 'flex opacity-40'}>
              <Mark source={source} />
            </span>
            {[source.name, age].filter((part) => part !== '').join(', ')}
          </button>
        );
      })}
      {sources.some(({ remote }) => remote) && (
        <IconButton
          icon={fetching.busy ? 'spinner' : 'refresh'}
          iconSize={14}
          label="Refresh calendars"
          className="ml-auto size-6"
          disabled={fetching.busy || !online}
          onClick={fetching.fetch}
        />
      )}
    </div>
  );
}

/** Problems of calendars, with their remedies. */
export function SourceLines() {
  const { sources, reading, fetching, reload } = useCalendar();
  const online = useOnline();
  const { show } = useActions();
  const remote = sources.filter((source) => source.remote);
  if (!reading && sources.length === 0) {
    return (
      <Banner tone="grey" icon="calendar" actions={<LinkButton onClick={() => show({ kind: 'settings', page: 'skills', skill: 'calendar' })}>Add one</LinkButton>}>
        No calendar yet.
      </Banner>
    );
  }
  const offline = !online && remote.length > 0;
  return (
    <>
      {offline && (
        <Banner tone="warn" icon="cloud">
          Offline. Shown as of {remote.map(({ name, fetched }) => `${fetched === null ? 'never' : clockTime(fetched)} (${name})`).join(', ')}.
        </Banner>
      )}
      {sources.map((source) => {
        const why = fetching.refused[source.id] ?? (source.problem === null ? null : source.problem.problem);
        if (why === null || (offline && source.remote)) return null;
        return (
          <Banner key={source.id} tone="warn" icon={source.remote ? 'cloud' : 'warn'} actions={<LinkButton onClick={source.remote ? fetching.fetch : reload}>Try again</LinkButton>}>
            {why.startsWith(source.name) ? '' : `${source.name}: `}
            {why.replace(/\.$/, '')}.{' '}
            {source.fetched === null ? <span className="text-fg-2">{source.problem?.remedy}</span> : `Shown as of ${clockTime(source.fetched)}.`}
          </Banner>
        );
      })}
    </>
  );
}
