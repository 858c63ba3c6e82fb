import { Banner, Button, count, Empty, Icon, LinkButton, Loading, useOnline } from '../../shared';
import { revealed } from '../../shared/invisible';
import { shortDay } from '../symbol/words';
import { Outdated } from './Conditions';
import { useScreener } from './context';
import { Explanation } from './Explanation';
import { HitsTable } from './HitsTable';
import { Problems } from './Problems';
import { Failure, RunBar } from './RunBar';
import { endText, leftOutText, noHitsText, progressText, unansweredText } from './words';

/** Progress, hits and explanation of a scan. */
export function Hits() {
  const { room, wide, state } = useScreener();
  const isBeside = room === 'one' && wide;
  return (
    <section aria-label="Hits" className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Offline />
        {room === 'one' && (
          <div className="px-5 pt-2 empty:hidden">
            <Outdated />
          </div>
        )}
        <ScanBar />
        <Found />
        {!isBeside && state.explained !== null && (
          <div className="max-h-1/2 shrink-0 overflow-y-auto px-5 pb-3">
            <Explanation />
          </div>
        )}
        <Footer />
      </div>
      {isBeside && state.explained !== null && (
        <aside className="flex w-79 shrink-0 flex-col overflow-y-auto border-l border-line bg-surface-side">
          <Explanation />
        </aside>
      )}
    </section>
  );
}

/** Progress or outcome of the scan. */
function ScanBar() {
  const { scanning, scan, stop, startScan } = useScreener();
  if (scanning === null) return null;
  const { run, isRunning, isBefore, message, fraction } = scanning;
  const isStopped = run.result?.error?.code === 'cancelled';
  const now = isBefore ? null : scan;
  const text = isRunning ? (now ? progressText(now) : (message ?? 'Scanning')) : now ? endText(now, isStopped) : isStopped ? 'Stopped by you, nothing found' : 'Not scanned';
  return (
    <>
      <RunBar view={scanning} text={text} fraction={fraction ?? (now && now.of > 0 ? now.scanned / now.of : null)} onStop={() => stop('scan')} label="Scan" />
      {run.result?.error && !isStopped && (
        <div className="px-5 pb-2">
          <Failure error={run.result.error} onAgain={startScan} />
        </div>
      )}
    </>
  );
}

function Found() {
  const { scanning, scan, hits, opened } = useScreener();
  if (scanning === null) return <BeforeScan />;
  const { isRunning, isBefore } = scanning;
  if (scan === null) {
    return isRunning ? (
      <div className="px-5 py-2">
        <Loading lines={6} label="Scanning" />
      </div>
    ) : null;
  }
  const empty = (
    <Empty action={opened.draft.conditions.length === 0 ? <AddCondition /> : undefined}>
      {isRunning ? 'No hits so far.' : noHitsText(scan)}
    </Empty>
  );
  return (
    <div data-scroll="" aria-busy={isRunning} className={`min-h-20 flex-[0_1_auto] overflow-y-auto ${isBefore ? 'opacity-60' : ''}`}>
      <div className="px-5 empty:hidden">
        <Problems problems={scan.problems} label="Problems with the scan" />
      </div>
      {hits.length === 0 ? empty : <HitsTable />}
      <Notes />
    </div>
  );
}

function BeforeScan() {
  const { opened, startScan } = useScreener();
  if (opened.draft.conditions.length === 0) return <Empty action={<AddCondition />}>No conditions.</Empty>;
  return (
    <Empty
      action={
        <Button icon="play" onClick={startScan}>
          Scan
        </Button>
      }
    >
      Not scanned yet.
    </Empty>
  );
}

function AddCondition() {
  const { addCondition } = useScreener();
  return (
    <Button icon="plus" onClick={addCondition}>
      Add a condition
    </Button>
  );
}

/** Symbols left out, and hits beyond the limit. */
function Notes() {
  const { scan, scanning, hits, state } = useScreener();
  if (scan === null || scanning === null) return null;
  const notListed = scanning.isRunning ? 0 : scan.found - scan.hits.length;
  const isListed = state.listed === 'left_out';
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 px-5 text-small">
        <span className="text-fg-2">
          {scanning.isRunning && hits.length > 0 && 'Order may change until the scan ends.'}
          {notListed > 0 && `${count(notListed)} more are not listed.`}
        </span>
        <span className="flex-1" />
        {scan.leftOut.length > 0 && (
          <>
            <span className="inline-flex items-center gap-2 text-warn">
              <Icon name="warn" size={14} />
              {leftOutText(scan.leftOut.length)}
            </span>
            <ListToggle list="left_out" of="left out" />
          </>
        )}
      </div>
      {isListed && (
        <List label="Left out" entries={scan.leftOut.map(({ symbol, missing }) => ({ symbol, about: `${missing.join(', ') || 'a figure'} missing` }))} />
      )}
    </>
  );
}

function ListToggle({ list, of }: { list: 'left_out' | 'unanswered'; of: string }) {
  const { state, dispatch } = useScreener();
  const isListed = state.listed === list;
  return (
    <LinkButton aria-expanded={isListed} aria-label={`${isListed ? 'Hide' : 'Show'} ${of}`} onClick={() => dispatch({ type: 'listed', list })}>
      {isListed ? 'Hide' : 'Show'}
    </LinkButton>
  );
}

/** Entries listed; a large universe may leave out thousands of symbols. */
const MOST = 200;

function List({ label, entries }: { label: string; entries: readonly { readonly symbol: string; readonly about: string }[] }) {
  return (
    <ul aria-label={label} className="selectable mx-5 mb-2 max-h-40 overflow-y-auto rounded-card border border-line px-3 py-1.5 text-small">
      {entries.slice(0, MOST).map(({ symbol, about }) => (
        <li key={symbol}>
          <span className="font-medium">{revealed(symbol)}</span> <span className="text-fg-2">{revealed(about)}</span>
        </li>
      ))}
      {entries.length > MOST && <li className="text-fg-3">{count(entries.length - MOST)} more</li>}
    </ul>
  );
}

/** Symbols without an answer from any source. */
function Footer() {
  const { scan, scanning, state, startScan } = useScreener();
  const unanswered = scan?.unanswered ?? [];
  if (unanswered.length === 0 || scanning?.isBefore) return null;
  const isListed = state.listed === 'unanswered';
  return (
    <div className="mt-auto flex shrink-0 flex-col gap-1.5 px-5 pt-2 pb-3">
      {isListed && (
        <List label="Without an answer" entries={unanswered.map(({ symbol, reason }) => ({ symbol, about: reason }))} />
      )}
      <Banner
        tone="warn"
        icon="warn"
        actions={
          <>
            <ListToggle list="unanswered" of="symbols without an answer" />
            {scanning?.isRunning === false && <LinkButton onClick={startScan}>Try again</LinkButton>}
          </>
        }
      >
        {unansweredText(unanswered)}
      </Banner>
    </div>
  );
}

function Offline() {
  const { scan, today, startScan, opened, scanning } = useScreener();
  const online = useOnline();
  if (online) return null;
  const day = scan?.hits.map(({ date }) => date).toSorted().at(-1);
  return (
    <div className="px-5 pt-3">
      <Banner
        tone="warn"
        icon="cloud"
        actions={opened.draft.conditions.length > 0 && scanning?.isRunning !== true && <LinkButton onClick={startScan}>Scan stored figures{day === undefined ? '' : ` of ${shortDay(day, today)}`}</LinkButton>}
      >
        Offline.
      </Banner>
    </div>
  );
}
