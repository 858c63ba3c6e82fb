import { Button, Empty, ErrorBox, Icon, LinkButton, Loading } from '../../shared';
import { revealed } from '../../shared/invisible';
import { Revealed } from '../../shared/Revealed';
import { Asking } from '../skill/Region';
import type { Asked, Read } from '../skill/state';
import { candidatesIn } from './answers';
import { Failure } from './Block';
import { useSymbol } from './context';
import { troubleOf } from './state';
import { placeText, suggestionsIn } from './words';

/** Replaces everything while the symbol is unresolved. */
export function Unresolved({ search }: { search: Asked }) {
  const { state, quoteRead, fetchPrice, web } = useSymbol();
  if (state.named === null) return <Empty action={<ToSearch />}>Name a symbol or company.</Empty>;
  const found = web.of(search);
  const error = quoteRead?.error ?? null;
  if (quoteRead?.run != null || error === null) {
    return (
      <div className="flex flex-col gap-4 px-5 py-4">
        {quoteRead?.run != null && <Asking run={quoteRead.run} />}
        <Loading lines={6} label={`Looking up ${revealed(state.named)}`} />
      </div>
    );
  }
  if (found !== null || state.searching || troubleOf(error) === 'several') return <Found found={found} onAgain={() => web.reread(search)} />;
  if (troubleOf(error) === 'unknown') return <NotFound />;
  return (
    <div className="px-5 py-4">
      <Failure read={{ error }} onAgain={fetchPrice} />
    </div>
  );
}

function ToSearch() {
  return (
    <Button icon="search" keys="/" onClick={({ currentTarget }) => currentTarget.closest('[data-testid=skill-panel]')?.querySelector<HTMLElement>('[data-symbol-search] input')?.focus()}>
      Look up
    </Button>
  );
}

function NotFound() {
  const { quoteRead, name, dispatch, nameOf, has, state, fetchPrice } = useSymbol();
  const error = quoteRead?.error;
  if (!error) return null;
  const words = `${error.message} ${error.hint}`.trim();
  const suggested = suggestionsIn(error.hint);
  return (
    <Empty
      action={
        <>
          {suggested.length > 0 && (
            <ul aria-label="Suggestions" className="flex flex-col items-center gap-2">
              {suggested.map(({ symbol, about }) => (
                <li key={symbol}>
                  <Button onClick={() => name(symbol)}>
                    Look up {revealed(symbol)}
                    {about !== '' && <span className="text-fg-2">{revealed(about)}</span>}
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <span className="flex gap-3">
            {has(nameOf('search_symbol')) && <LinkButton onClick={() => dispatch({ type: 'searched' })}>Search for “{revealed(state.named ?? '')}”</LinkButton>}
            <LinkButton onClick={fetchPrice}>Try again</LinkButton>
          </span>
        </>
      }
    >
      <span role="alert">
        <Revealed text={words} />
      </span>
    </Empty>
  );
}

/** Symbols that a name may mean, each with its exchange. */
function Found({ found, onAgain }: { found: Read | null; onAgain: () => void }) {
  const { quoteRead, state, name } = useSymbol();
  const error = quoteRead?.error ?? null;
  const list = candidatesIn(found?.result?.value);
  return (
    <div className="flex flex-col gap-2 px-5 py-4">
      {error !== null && troubleOf(error) === 'several' && found?.result == null && <ErrorBox error={error} />}
      {found?.run != null && <Asking run={found.run} />}
      {found?.error && found.run === null && <Failure read={found} onAgain={onAgain} />}
      {found?.result == null && found?.error == null && <Loading lines={4} label="Searching" />}
      {found?.result != null && (
        <>
          <p role="status" className="text-small text-fg-2">
            {list.length === 0 ? 'Nothing found for ' : 'Choose what you mean by '}“<Revealed text={state.named ?? ''} />”.
          </p>
          <ul aria-label="Found" className="flex max-w-160 flex-col">
            {list.map((candidate) => (
              <li key={`${candidate.symbol} ${candidate.exchange}`}>
                <LinkButton data-candidate="" className="flex min-h-8 w-full items-center gap-3 px-2 text-left text-ui font-normal hover:bg-hover" onClick={() => name(candidate.symbol)}>
                  <Icon name="lookup" size={14} />
                  <span className="w-24 shrink-0 font-medium">
                    <Revealed text={candidate.symbol} />
                  </span>
                  <span className="cut flex-1 text-fg">
                    <Revealed text={candidate.name} />
                  </span>
                  <span className="shrink-0 text-small text-fg-2">
                    <Revealed text={placeText(candidate)} />
                  </span>
                </LinkButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
