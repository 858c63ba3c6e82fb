// The chats of a backend for tests and for the dev page: sessions, their trash, and sent messages.

import type { AppStatus, Envelope, Params, Result, SessionRow, UserError } from '../ipc';
import { ScriptedBackend } from './scripted-backend';

export interface ChatWorld {
  status: AppStatus;
  sessions: SessionRow[];
  /** Stored events by session. */
  events: Record<string, Envelope[]>;
}

export abstract class FakeChats extends ScriptedBackend {
  abstract readonly world: ChatWorld;
  private readonly trash: SessionRow[] = [];
  private readonly images = new Map<string, Result<'read_image'>>();

  create_session = (): SessionRow => {
    const at = this.now();
    const row = { id: `s${this.world.sessions.length + 1}`, title: 'New chat', updated_at: at, created_at: at, running: false, model: null, pinned: false, archived: false };
    this.world.sessions = [row, ...this.world.sessions];
    return row;
  };

  open_session = ({ session }: Params<'open_session'>) => ({
    row: this.row(session),
    events: this.world.events[session] ?? [],
    running_calls: [],
  });

  rename_session = ({ session, title }: Params<'rename_session'>) => {
    const row = { ...this.row(session), title };
    this.world.sessions = this.world.sessions.map((old) => (old.id === session ? row : old));
    return row;
  };

  set_session = ({ session, pinned, archived }: Params<'set_session'>) => {
    const before = this.row(session);
    const row = { ...before, pinned: pinned ?? before.pinned, archived: archived ?? before.archived };
    this.world.sessions = this.world.sessions.map((old) => (old.id === session ? row : old));
    return row;
  };

  delete_session = ({ session }: Params<'delete_session'>) => {
    this.trash.push(...this.world.sessions.filter((row) => row.id === session).map((row) => ({ ...row, deleted_at: this.now() })));
    this.world.sessions = this.world.sessions.filter((row) => row.id !== session);
    return {};
  };

  restore_session = ({ session }: Params<'restore_session'>) => {
    const row = this.trash.find((old) => old.id === session);
    if (!row) throw { code: 'unknown_session', message: 'There is no such session.', hint: '' } satisfies UserError;
    this.trash.splice(this.trash.indexOf(row), 1);
    const { deleted_at: _at, ...back } = row;
    this.world.sessions = [...this.world.sessions, back];
    return back;
  };

  list_deleted_sessions = () => this.trash.toReversed();
  purge_sessions = ({ session }: Params<'purge_sessions'>): Result<'purge_sessions'> => {
    const gone = this.trash.filter((row) => session === undefined || row.id === session);
    if (session !== undefined && gone.length === 0) throw { code: 'unknown_session', message: 'There is no such session.', hint: '' } satisfies UserError;
    this.trash.splice(0, this.trash.length, ...this.trash.filter((row) => !gone.includes(row)));
    return { purged: gone.length };
  };

  /** Matches titles; tests script other results. */
  search_sessions = ({ query }: Params<'search_sessions'>): Result<'search_sessions'> =>
    this.world.sessions.flatMap((row) => {
      const at = row.title.toLowerCase().indexOf(query.toLowerCase());
      if (at < 0) return [];
      const parts = [row.title.slice(0, at), row.title.slice(at, at + query.length), row.title.slice(at + query.length)];
      return [{ row, title: parts.map((text, part) => ({ text, hit: part === 1 })).filter(({ text }) => text !== ''), said: [] }];
    });

  export_session = (): Result<'export_session'> => ({ saved: null });

  choose_branch = ({ session, turn }: Params<'choose_branch'>) => {
    this.emit({ type: 'branch_chosen', chosen: turn }, { session });
    return {};
  };

  /** Only starts the turn; scripts continue with `emit`. */
  send_message = ({ session, text, model, skills, tool, after, images = [], turn = `t${this.seq + 1}` }: Params<'send_message'>) => {
    const shown = images.map(({ name, media_type = 'image/png', data }, at) => {
      this.images.set(`${turn}-${at}`, { media_type, data });
      return { id: `${turn}-${at}`, name, media_type, width: 640, height: 480 };
    });
    const used = model ?? this.row(session).model ?? this.world.status.model ?? '';
    this.emit({ type: 'turn_started', text, model: used, skills, tool: tool ?? null, ...(after === undefined ? {} : { after }), ...(shown.length === 0 ? {} : { images: shown }) }, { session, turn });
    return { turn };
  };

  read_image = ({ id }: Params<'read_image'>): Result<'read_image'> => {
    const image = this.images.get(id);
    if (image) return image;
    throw { code: 'bad_request', message: 'There is no such image.', hint: '' } satisfies UserError;
  };

  drop_skill = ({ session, skill }: Params<'drop_skill'>) => {
    this.emit({ type: 'skill_deactivated', skill, by: 'user' }, { session });
    return {};
  };

  private row(session: string): SessionRow {
    const row = this.world.sessions.find(({ id }) => id === session);
    if (row) return row;
    throw { code: 'unknown_session', message: 'This chat is gone.', hint: 'Choose another one.' } satisfies UserError;
  }
}
