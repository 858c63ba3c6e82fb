import { useState, type ReactNode } from 'react';

import { Button, Icon, Menu, Segments, TextField } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { Header } from '../skill/PanelHead';
import { useMail } from './context';
import { unreadIn } from './state';
import { isSignIn } from './words';

/** Maximum mailboxes shown side by side; more become a list. */
const SEGMENTS = 4;

/** The mailboxes, the search and New mail. */
export function MailHead({ name, icon }: { name: string; icon: ReactNode }) {
  const { wide, dispatch, state, has } = useMail();
  const writes = has('send') || has('draft');
  const fields = (
    <>
      <Mailboxes />
      <span className="flex-1" />
      <Search />
      {writes && (
        <Button icon="pencil" data-testid="mail-new" onClick={() => dispatch({ type: 'writes', writing: { kind: 'new', mailbox: state.mailbox } })}>
          New mail
        </Button>
      )}
    </>
  );
  if (!wide) return <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3.5 py-2">{fields}</div>;
  return (
    <Header name={name} icon={icon}>
      {fields}
    </Header>
  );
}

function Mailboxes() {
  const { names, mailboxes, state, dispatch } = useMail();
  const problems = state.shown?.listing.problems ?? [];
  if (names.length < 2) return null;
  const labelOf = (name: string | null) => {
    const problem = problems.find(({ mailbox }) => mailbox === name);
    const unread = unreadIn(name === null ? mailboxes : mailboxes.filter((one) => one.name === name), 'inbox');
    return (
      <span className="inline-flex items-center gap-1.5">
        {name === null ? 'All' : <Revealed text={name} />}
        {unread > 0 && (
          <>
            {' '}
            {unread}
            <span className="sr-only"> unread</span>
          </>
        )}
        {problem && (
          <>
            <Icon name={isSignIn(problem.code) ? 'lock' : 'clock'} size={12} className="text-warn" />
            <span className="sr-only">, {isSignIn(problem.code) ? 'sign-in refused' : 'does not answer'}</span>
          </>
        )}
      </span>
    );
  };
  const all = [null, ...names];
  const choose = (mailbox: string | null) => dispatch({ type: 'chose_mailbox', mailbox });
  if (names.length > SEGMENTS) {
    return (
      <Menu groups={[{ items: all.map((name) => ({ label: labelOf(name), checked: name === state.mailbox, onSelect: () => choose(name) })) }]}>
        <Button>
          {labelOf(state.mailbox)} <Icon name="chevron-down" size={12} />
        </Button>
      </Menu>
    );
  }
  // Mailbox names are never empty.
  const valueOf = (name: string | null) => (name === null ? 'all' : `/${name}`);
  const options = all.map((name) => ({ value: valueOf(name), label: labelOf(name) }));
  return <Segments label="Mailboxes" value={valueOf(state.mailbox)} options={options} onChange={(value) => choose(value === 'all' ? null : value.slice(1))} />;
}

/** The server searches on Enter. */
function Search() {
  const { state, dispatch, wide } = useMail();
  const [text, setText] = useState(state.query);
  const search = (query: string) => dispatch({ type: 'searched', query });
  return (
    <form
      role="search"
      data-mail-search=""
      onSubmit={(event) => {
        event.preventDefault();
        search(text);
      }}
    >
      <TextField
        icon="search"
        frame="line"
        type="search"
        aria-label="Search mail"
        placeholder="Search mail"
        className={wide ? 'w-45 short:w-40 max-medium:w-36' : 'w-36'}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          if (event.target.value === '' && state.query !== '') search('');
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || (text === '' && state.query === '')) return;
          event.preventDefault();
          event.stopPropagation();
          setText('');
          search('');
        }}
      />
    </form>
  );
}
