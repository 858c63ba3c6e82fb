import { useId, useState } from 'react';

import type { JsonValue } from '../../ipc';
import { clockTime, Icon, LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';
import type { CallItem } from '../../state/session';
import { isObject } from '../wording';
import { type PageFound, pageOf, pagesFound, plainAddress } from './pages';
import { useCitedPages } from './useCitedPages';

/** Whether the call's card shows pages instead of arguments and a result. */
export function showsPages(call: CallItem): boolean {
  return pageOf(call) !== null || pagesFound(call) !== null;
}

/** The pages that a call fetched or found. */
export function WebPages({ call }: { call: CallItem }) {
  const found = pagesFound(call);
  return (
    <div data-testid="web-pages" className="flex flex-col gap-1.5">
      {found === null ? <Read call={call} /> : <Found pages={found} />}
      <p className="flex items-center gap-2 text-fg-3">
        <Icon name="shield" size={14} className="shrink-0" />
        Text from the web. Mail and web ask each time for the rest of this turn.
      </p>
    </div>
  );
}

function Read({ call }: { call: CallItem }) {
  const { openLink } = useActions();
  const cited = useCitedPages();
  const [open, setOpen] = useState(false);
  const text = useId();
  const page = pageOf(call);
  if (page === null) return null;
  const number = cited.get(plainAddress(page.url))?.number;
  const value = isObject(call.result?.value) ? call.result.value : {};
  return (
    <>
      <p className="flex items-baseline gap-2">
        <span aria-label={`Source ${number}`} className="tabular shrink-0 rounded-badge bg-accent-soft px-1.5 text-meta font-medium text-accent">
          {number}
        </span>
        <span className="cut min-w-0 flex-1 text-fg-2">
          <LinkButton onClick={() => openLink(page.url)} data-tip={page.url}>
            <Revealed text={page.title} />
          </LinkButton>{' '}
          <Revealed text={`${page.host}, ${page.dated}`} />
        </span>
        <span className="tabular shrink-0 text-fg-3">read {clockTime(page.at)}</span>
      </p>
      <Note value={value['note']} />
      <p>
        <LinkButton aria-expanded={open} aria-controls={open ? text : undefined} onClick={() => setOpen(!open)}>
          {open ? 'Hide the text' : 'Show the text'}
        </LinkButton>
      </p>
      {open && (
        <pre id={text} tabIndex={0} aria-label="Text of the page" className="selectable max-h-80 overflow-auto rounded-control border border-line p-2 font-sans break-words whitespace-pre-wrap">
          <Revealed text={typeof value['text'] === 'string' ? value['text'] : ''} />
        </pre>
      )}
    </>
  );
}

/** The tool's note on the text. */
function Note({ value }: { value: JsonValue | undefined }) {
  return typeof value === 'string' ? (
    <p className="text-fg-2">
      <Revealed text={value} />
    </p>
  ) : null;
}

function Found({ pages }: { pages: readonly PageFound[] }) {
  const { openLink } = useActions();
  if (pages.length === 0) return <p className="text-fg-3">nothing found</p>;
  return (
    <ol aria-label="Pages found" className="flex flex-col gap-1.5">
      {pages.map((page, at) => (
        <li key={at}>
          <p className="cut text-fg-2">
            <LinkButton onClick={() => openLink(page.url)} data-tip={page.url}>
              <Revealed text={page.title} />
            </LinkButton>{' '}
            <Revealed text={[page.host, page.date].filter(Boolean).join(', ')} />
          </p>
          {page.snippet !== '' && (
            <p className="selectable line-clamp-2 text-fg-3">
              <Revealed text={page.snippet} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
