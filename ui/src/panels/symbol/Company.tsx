import { useState, type ReactNode } from 'react';

import { Badge, Button, count, counted, LinkButton } from '../../shared';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import { ProblemBars } from '../skill/Bars';
import { problemsIn } from '../skill/answer';
import { filingsIn, keyFiguresIn, newsIn, type KeyFigure } from './answers';
import { Block } from './Block';
import { useSymbol } from './context';
import { copiedFigures, figureText, readText, settingsLabel, shortDay, whenText } from './words';

/** Rows listed before the rest is expanded. */
const FILINGS = 4;
const NEWS = 3;

function useWeb(tool: string) {
  const { web, nameOf, symbol, notReady } = useSymbol();
  const asked = { tool: nameOf(tool), args: { symbol: symbol ?? '' } };
  const read = web.of(asked);
  return { read, again: () => web.reread(asked), at: read?.at ?? null, notReady: notReady(asked.tool) };
}

/** Each figure with its source or formula and its day; a missing one with reason and remedy. */
export function KeyFigures() {
  const { symbol } = useSymbol();
  const { read, again, notReady } = useWeb('fundamentals');
  return (
    <Block
      label="Key figures"
      read={read}
      notReady={notReady}
      lines={6}
      onAgain={again}
      head={(value) => (
        <>
          <span className="text-small text-fg-2">each with source and day</span>
          {value !== undefined && <Copy text={copiedFigures(revealed(symbol ?? ''), keyFiguresIn(value))} />}
        </>
      )}
    >
      {(value) => {
        const figures = keyFiguresIn(value);
        if (figures.length === 0) return <p className="px-5 py-1 text-small text-fg-2">No figures.</p>;
        return (
          <table aria-label="Key figures" className="w-full border-collapse text-small">
            <thead className="sr-only">
              <tr>
                {['Figure', 'Value', 'Source or formula', 'Day'].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {figures.map((figure) => (
                <FigureRow key={figure.key} figure={figure} />
              ))}
            </tbody>
          </table>
        );
      }}
    </Block>
  );
}

function FigureRow({ figure }: { figure: KeyFigure }) {
  const { today, openSettings } = useSymbol();
  const { name, value, unit, how, day, newer, missing, remedy } = figure;
  const settings = settingsLabel(`${missing ?? ''} ${remedy ?? ''}`);
  const reason = [missing, settings === null ? remedy : null].filter((part) => part !== null).join('. ');
  return (
    <tr className="border-b border-line last:border-b-0">
      <th scope="row" className="selectable py-1 pr-3 pl-5 text-left font-normal">
        <Revealed text={name} />
      </th>
      <td className={`selectable tabular py-1 pr-4 text-right whitespace-nowrap ${value === null ? 'text-fg-3' : 'font-medium'}`} data-tip={value === null ? undefined : revealed(`${value} ${unit}`)}>
        <Revealed text={figureText(figure)} />
      </td>
      <td className="selectable py-1 pr-3 text-fg-2">
        <Revealed text={value === null ? reason || how : how} />
      </td>
      <td className="py-1 pr-5 text-right whitespace-nowrap text-fg-2">
        {value === null ? (
          settings !== null && <LinkButton onClick={openSettings}>{settings}</LinkButton>
        ) : newer !== null && day !== null ? (
          <span data-tip={`A report of ${shortDay(newer, today)} is newer`}>
            <Badge tone="warn" icon="clock">
              {shortDay(day, today)}
              <span className="sr-only">, a report of {shortDay(newer, today)} is newer</span>
            </Badge>
          </span>
        ) : (
          day !== null && shortDay(day, today)
        )}
      </td>
    </tr>
  );
}

function Copy({ text }: { text: string }) {
  const [state, setState] = useState<'copied' | 'refused' | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <span className="ml-auto flex items-center gap-2 self-center">
      <span role="status" className="text-small text-fg-3">
        {state === 'copied' ? 'Copied' : state === 'refused' ? 'Not copied. Select the text and copy it' : ''}
      </span>
      <Button size="s" variant="quiet" icon={state === 'copied' ? 'check' : 'copy'} onClick={() => void copy()} onBlur={() => setState(null)}>
        Copy with sources
      </Button>
    </span>
  );
}

export function Filings() {
  const { today } = useSymbol();
  const { read, again, at, notReady } = useWeb('filings');
  const [all, setAll] = useState(false);
  return (
    <Block
      label="Filings"
      read={read}
      notReady={notReady}
      onAgain={again}
      head={(value) => (
        <>
          <span className="text-small text-fg-2">{at !== null && readText(read?.result?.sources ?? [], at, today)}</span>
          {value !== undefined && <All count={filingsIn(value).items.length} first={FILINGS} label="filings" all={all} onAll={setAll} />}
        </>
      )}
    >
      {(value) => {
        const { items, total } = filingsIn(value);
        return (
          <Rows empty="No filings." left={all ? total - items.length : 0}>
            {items.slice(0, all ? undefined : FILINGS).map(({ form, title, day, url }, place) => (
              <li key={place} className="flex min-h-7 items-center gap-2 px-5">
                <span className="w-12 shrink-0">
                  <Badge tone="outline">
                    <Revealed text={form} />
                  </Badge>
                </span>
                <WebLink url={url} title={title} />
                <span className="ml-auto shrink-0 text-fg-2 tabular-nums">{shortDay(day, today)}</span>
              </li>
            ))}
          </Rows>
        );
      }}
    </Block>
  );
}

export function News() {
  const { today } = useSymbol();
  const { read, again, at, notReady } = useWeb('news');
  const [all, setAll] = useState(false);
  return (
    <Block
      label="News"
      read={read}
      notReady={notReady}
      lines={3}
      onAgain={again}
      head={(value) => (
        <>
          <span className="text-small text-fg-2">{at !== null && `${counted(new Set(newsIn(value).items.map(({ source }) => source)).size, 'source')}, read ${whenText(at, today)}`}</span>
          {value !== undefined && <All count={newsIn(value).items.length} first={NEWS} label="news" all={all} onAll={setAll} />}
        </>
      )}
    >
      {(value) => {
        const { items, total } = newsIn(value);
        return (
          <>
            <Rows empty="No news." left={all ? total - items.length : 0}>
              {items.slice(0, all ? undefined : NEWS).map(({ title, url, source, day }, place) => (
                <li key={place} className="flex min-h-7 items-center gap-3 px-5">
                  <WebLink url={url} title={title} />
                  <span className="cut ml-auto max-w-40 shrink-0 text-fg-2">
                    <Revealed text={source} />
                  </span>
                  <span className="w-14 shrink-0 text-right text-fg-2 tabular-nums">{shortDay(day, today)}</span>
                </li>
              ))}
            </Rows>
            <div className="px-5 pt-1 empty:hidden">
              <ProblemBars problems={problemsIn([value])} label="Problems with the news" />
            </div>
          </>
        );
      }}
    </Block>
  );
}

function All({ count: own, first, label, all, onAll }: { count: number; first: number; label: string; all: boolean; onAll: (all: boolean) => void }) {
  if (own <= first) return null;
  return (
    <LinkButton className="ml-auto text-small" aria-expanded={all} aria-label={all ? `Fewer ${label}` : `All ${own} ${label}`} onClick={() => onAll(!all)}>
      {all ? 'Fewer' : `All ${count(own)}`}
    </LinkButton>
  );
}

function Rows({ empty, left, children }: { empty: string; left: number; children: readonly ReactNode[] }) {
  if (children.length === 0) return <p className="px-5 py-1 text-small text-fg-2">{empty}</p>;
  return (
    <>
      <ul className="text-small">{children}</ul>
      {left > 0 && <p className="px-5 py-1 text-small text-fg-3">{count(left)} older ones are not listed.</p>}
    </>
  );
}

/** Opens in the browser; the address is visible before. */
function WebLink({ url, title }: { url: string; title: string }) {
  const { openLink } = useActions();
  if (!/^https?:\/\//i.test(url)) {
    return (
      <span className="cut selectable">
        <Revealed text={title} />
      </span>
    );
  }
  return (
    <LinkButton className="cut min-w-0 text-left font-normal" data-tip={revealed(url)} onClick={() => openLink(url)}>
      <Revealed text={title} />
    </LinkButton>
  );
}
