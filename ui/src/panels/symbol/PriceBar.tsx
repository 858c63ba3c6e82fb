import { Banner, LinkButton, useOnline } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { ProblemBars } from '../skill/Bars';
import { problemsIn } from '../skill/answer';
import { useSymbol } from './context';
import { Failure } from './Block';
import { lastCloseText, needsKey, whenText } from './words';

/** Why the price is not of now, and what was wrong on the way to it. */
export function PriceBar() {
  const { quote, quoteRead, shownRead, today, roomy, fetchPrice, openSettings } = useSymbol();
  const online = useOnline();
  const problems = problemsIn([shownRead?.result?.value]);
  const keyed = problems.find(({ problem, remedy }) => needsKey(`${problem} ${remedy ?? ''}`));
  const isOld = quote !== null && (quote.isClose || quote.stale !== null);
  const isOffline = !online && quote !== null;
  const failed = quoteRead?.error != null && quoteRead.run === null ? quoteRead : null;
  // Said in the bar already.
  const others = isOld ? problems.filter((problem) => problem !== keyed) : problems;
  return (
    <div className="flex flex-col gap-1.5 px-5 pt-3 empty:hidden">
      {isOffline && (
        <Banner tone="warn" icon="cloud">
          Offline. Closes up to {whenText(quote.closesTo ?? quote.at, today)}.
        </Banner>
      )}
      {!isOffline && failed && <Failure read={failed} onAgain={fetchPrice} />}
      {!isOffline && !failed && isOld && (
        <Banner
          tone="warn"
          icon="clock"
          actions={
            <>
              <LinkButton onClick={fetchPrice}>Try again</LinkButton>
              {keyed && <LinkButton onClick={openSettings}>Add key</LinkButton>}
            </>
          }
        >
          <span className="font-semibold">No fresh price:</span> <Revealed text={lastCloseText(quote, today)} />{' '}
          {roomy && keyed && (
            <span className="text-fg-2">
              <Revealed text={`${keyed.problem}${/[.!?]$/.test(keyed.problem) ? '' : '.'} ${keyed.remedy ?? ''}`} />
            </span>
          )}
        </Banner>
      )}
      <ProblemBars problems={others} label="Problems of the price" />
    </div>
  );
}
