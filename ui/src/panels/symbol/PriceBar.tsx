import { asSentence, Banner, LinkButton, useOnline } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { ProblemBars } from '../skill/Bars';
import { problemsIn } from '../skill/answer';
import { useSymbol } from './context';
import { Failure } from './Block';
import { lastCloseText, settingsLabel, whenText } from './words';

/** Why the price is not current, and problems of its sources. */
export function PriceBar() {
  const { quote, quoteRead, shownRead, today, roomy, fetchPrice, openSettings } = useSymbol();
  const online = useOnline();
  const problems = problemsIn([shownRead?.result?.value]);
  // Problems that the user can fix come first.
  const settingsOf = ({ problem, remedy }: (typeof problems)[number]) => settingsLabel(`${problem} ${remedy ?? ''}`);
  const shown = problems.find((problem) => settingsOf(problem) !== null) ?? problems[0];
  const settings = shown ? settingsOf(shown) : null;
  const isOld = quote !== null && (quote.isClose || quote.stale !== null);
  const isOffline = !online && quote !== null;
  const failed = quoteRead?.error != null && quoteRead.run === null ? quoteRead : null;
  // Already in the bar.
  const others = isOld ? problems.filter((problem) => problem !== shown) : problems;
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
              {settings !== null && <LinkButton onClick={openSettings}>{settings}</LinkButton>}
            </>
          }
        >
          <span className="font-semibold">No fresh price:</span> <Revealed text={lastCloseText(quote, today)} />{' '}
          {roomy && shown && (
            <span className="text-fg-2">
              <Revealed text={`${asSentence(shown.problem)} ${shown.remedy ?? ''}`} />
            </span>
          )}
        </Banner>
      )}
      <ProblemBars problems={others} label="Problems with the price" />
    </div>
  );
}
