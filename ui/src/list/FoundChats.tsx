import type { FoundSession, TextPart } from '../ipc';
import { ErrorBox, Loading } from '../shared';
import { useActions, useApp } from '../state/hooks';
import { useSearch } from './useSearch';

/** Chats with matches; a match opens the chat at its message. */
export function FoundChats({ query }: { query: string }) {
  const { data, error, loading } = useSearch(query);
  if (error) return <div className="pt-3"><ErrorBox error={error} /></div>;
  if (!data) return <div className="px-2 pt-4"><Loading label="Searching" /></div>;
  if (data.length === 0) {
    return <p role="status" className="px-2 pt-4 text-small text-fg-3">Nothing found for “{query.trim()}”. Text from private notes is not searched.</p>;
  }
  return (
    <section aria-label="Found" className={loading ? 'opacity-60' : ''}>
      <h2 className="px-2 pt-3 pb-1.5 text-meta font-semibold text-fg-2" role="status">
        {data.length === 1 ? '1 chat' : `${data.length} chats`}
      </h2>
      <ul className="flex flex-col gap-1">
        {data.map((found, at) => (
          <FoundChat key={found.row.id} found={found} first={at === 0} />
        ))}
      </ul>
    </section>
  );
}

function FoundChat({ found: { row, title, said }, first }: { found: FoundSession; first: boolean }) {
  const open = useApp((app) => app.open === row.id && app.view.kind === 'chat');
  const { openSession, openAt } = useActions();
  return (
    <li>
      <button
        type="button"
        data-chat={row.id}
        data-list-item
        tabIndex={first ? 0 : -1}
        aria-current={open ? 'page' : undefined}
        onClick={() => void (said[0] && !title ? openAt(row.id, said[0].turn) : openSession(row.id))}
        className={`flex h-7.5 w-full items-center gap-2 rounded-control px-2 text-left text-ui ${open ? 'bg-selected font-medium text-fg' : 'text-fg-2 hover:bg-hover'}`}
      >
        <span className="cut flex-1">{title ? <Marked parts={title} /> : row.title}</span>
        {row.archived && <span className="text-meta text-fg-3">archived</span>}
      </button>
      {said.map((place, at) => (
        <button
          key={at}
          type="button"
          data-chat={row.id}
          data-list-item
          data-testid="found-place"
          tabIndex={-1}
          onClick={() => void openAt(row.id, place.turn)}
          className="block w-full rounded-control py-1 pr-2 pl-4 text-left text-small text-fg-3 hover:bg-hover"
        >
          <span className="line-clamp-2">
            <span className="sr-only">{place.by === 'user' ? 'You: ' : 'Nova: '}</span>
            <Marked parts={place.snippet} />
          </span>
        </button>
      ))}
    </li>
  );
}

function Marked({ parts }: { parts: readonly TextPart[] }) {
  return parts.map(({ text, hit }, at) =>
    hit ? (
      <mark key={at} className="bg-transparent font-semibold text-accent">
        {text}
      </mark>
    ) : (
      <span key={at}>{text}</span>
    ),
  );
}
