// A backend for tests and for the dev page that answers every command from plain data, without any logic of
// the real one.

import type {
  CatalogView,
  ChangeSetView,
  CredentialsView,
  CredentialRow,
  FieldProposal,
  FirstRunOptions,
  GlanceView,
  GrantRow,
  MailboxRow,
  NoteView,
  Params,
  PendingToolRow,
  PermissionsView,
  ProblemView,
  ProviderRow,
  RecordFormView,
  RecordsPreview,
  ResourceSuggestion,
  Result,
  RoutineRow,
  ServerDetail,
  ServerFile,
  ServerPrompt,
  ServersView,
  SkillDetail,
  SkillRow,
  ToolRow,
  UserError,
  VaultPage,
  WorkspaceView,
  Workspaces,
} from '../ipc';
import { type ChatWorld, FakeChats } from './fake-chats';
import { sampleRecordsPage } from './sample/records';
import { sampleServerDetail } from './sample/servers';

export interface World extends ChatWorld {
  providers: ProviderRow[];
  skills: SkillRow[];
  /** Additional details by skill; `config` has the defaults until something is set. */
  details?: Record<string, Partial<SkillDetail>>;
  /** The cost of the skill catalog; within its budget by default. */
  catalog?: CatalogView;
  tools: ToolRow[];
  /** Pending tools; none by default. */
  pendingTools?: PendingToolRow[];
  /** Stored credentials; none by default. */
  credentials?: CredentialsView;
  /** MCP servers; none by default. */
  servers?: ServersView;
  /** Due items; none by default. */
  glances?: GlanceView[];
  /** Mailboxes; none by default. */
  mailboxes?: MailboxRow[];
  /** Routines; none by default. */
  routines?: RoutineRow[];
  /** Prompts of servers; none by default. */
  prompts?: ServerPrompt[];
  /** Resources of servers, matching any query; none by default. */
  resources?: ResourceSuggestion[];
  /** By server; the sample's by default. */
  serverDetails?: Record<string, ServerDetail>;
  /** Configurations of other programs; none by default. */
  serverFiles?: ServerFile[];
  /** Rules and approvals; none by default. */
  permissions?: PermissionsView;
  /** Record forms; none by default. */
  recordForms?: RecordFormView[];
  /** Field proposals by skill; none by default. */
  proposals?: Record<string, FieldProposal>;
  /** The preview of records; the sample by default. */
  recordsPage?: RecordsPreview;
  /** Used values, by `type.field`. */
  values?: Record<string, string[]>;
  changes: ChangeSetView[];
  problems: ProblemView[];
  /** By path, also found by name. */
  notes: Record<string, NoteView>;
  firstRun: FirstRunOptions;
  /** The vault page; empty lists by default. */
  vaultPage?: VaultPage;
  /** Linked folders; none by default. */
  workspaces?: WorkspaceView[];
}

export class FakeBackend extends FakeChats {
  /** By session, then by id. */
  private readonly draftImages = new Map<string | null, Map<string, Result<'read_draft_image'>>>();
  /** Initial configuration by skill. */
  private readonly defaults: Record<string, SkillDetail['config']> = {};

  constructor(
    readonly world: World,
    now: () => string = () => new Date().toISOString(),
  ) {
    super(Math.max(-1, ...Object.values(world.events).flatMap((events) => events.map(({ seq }) => seq))), now);
  }

  // Default response of each command.
  app_status = () => this.world.status;
  window_layout = (): Result<'window_layout'> => ({ list_folded: false, list_width: 0, panel_open: false, panel_width: 0, zoom: 0, keys: {}, chosen: [] });
  keep_layout = () => ({});
  list_drafts = (): Result<'list_drafts'> => [];
  /** Discards images that the draft does not name. */
  keep_draft = ({ session, images, queued }: Params<'keep_draft'>) => {
    const named = new Set([...images, ...queued.flatMap((message) => message.images)].map(({ id }) => id));
    const kept = this.draftImages.get(session) ?? new Map<string, unknown>();
    for (const id of kept.keys()) if (!named.has(id)) kept.delete(id);
    return {};
  };
  keep_draft_image = ({ session, image }: Params<'keep_draft_image'>): Result<'keep_draft_image'> => {
    const id = `${session ?? 'new'}-${image.name}`;
    this.draftImages.set(session, (this.draftImages.get(session) ?? new Map<string, Result<'read_draft_image'>>()).set(id, image));
    return { id, name: image.name };
  };
  read_draft_image = ({ session, id }: Params<'read_draft_image'>): Result<'read_draft_image'> => {
    const image = this.draftImages.get(session)?.get(id);
    if (image) return image;
    throw { code: 'io', message: 'The image is no longer there.', hint: '' } satisfies UserError;
  };
  show_config_file = () => ({});
  set_context = () => ({});
  list_sessions = () => this.world.sessions;
  list_providers = () => this.world.providers;
  list_skills = () => this.world.skills;
  list_panels = (): Result<'list_panels'> => [];
  list_glances = (): Result<'list_glances'> => this.world.glances ?? [];
  list_mailboxes = (): Result<'list_mailboxes'> => ({ mailboxes: this.world.mailboxes ?? [] });
  watch_mail = () => ({});
  list_routines = (): RoutineRow[] => this.world.routines ?? [];
  add_routine = (routine: Params<'add_routine'>): RoutineRow => {
    const row = { ...routine, path: `Routines/${routine.name}.md`, enabled: true, problem: null, next: null, last: null };
    this.world.routines = [...this.list_routines(), row];
    this.emit({ type: 'routines_changed' });
    return row;
  };
  edit_routine = ({ path, after }: Params<'edit_routine'>): RoutineRow => this.changeRoutine(path, after);
  switch_routine = ({ path, enabled }: Params<'switch_routine'>): RoutineRow => this.changeRoutine(path, { enabled });
  run_routine = ({ path }: Params<'run_routine'>): RoutineRow => {
    const at = this.now();
    return this.changeRoutine(path, { last: { session: '', due: at, started: at, ended: null, late: 0, end: 'running', said: '', seen: false } });
  };
  see_routine = ({ path }: Params<'see_routine'>) => {
    const last = this.list_routines().find((row) => row.path === path)?.last ?? null;
    this.changeRoutine(path, { last: last && { ...last, seen: true } });
    return {};
  };
  private changeRoutine(path: string, part: Partial<RoutineRow>): RoutineRow {
    const before = this.list_routines().find((row) => row.path === path);
    if (!before) throw { code: 'note_not_found', message: `There is no routine "${path}".`, hint: '' } satisfies UserError;
    const changed = { ...before, ...part };
    this.world.routines = this.list_routines().map((row) => (row === before ? changed : row));
    this.emit({ type: 'routines_changed' });
    return changed;
  }
  list_record_types = (): Result<'list_record_types'> =>
    (this.world.recordForms ?? []).map(({ skill, record_type, label }) => ({ skill, record_type, label, folder: '', title: null }));
  record_form = ({ skill, record_type, path }: Params<'record_form'>): Result<'record_form'> => {
    const form = (this.world.recordForms ?? []).find(
      (known) => known.skill === skill && known.record_type === record_type && known.path === (path ?? null),
    );
    if (form) return form;
    throw { code: 'note_not_found', message: `There is no note "${path ?? ''}".`, hint: 'It may have been renamed or deleted.' } satisfies UserError;
  };
  /** Writes nothing: tests script the result of a save. */
  save_record = ({ path = 'New.md' }: Params<'save_record'>): Result<'save_record'> => ({
    errors: [],
    result: { ...this.call_tool(), changes: [{ path, kind: 'modified' }], change_set: null },
  });
  values_in_use = ({ fields }: Params<'values_in_use'>): Result<'values_in_use'> =>
    fields.map((field) => ({ field, values: this.world.values?.[field] ?? [] }));
  usual_currency = (): Result<'usual_currency'> => ({ currency: 'EUR' });
  suggest_notes = ({ text }: Params<'suggest_notes'>): Result<'suggest_notes'> =>
    Object.values(this.world.notes)
      .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
      .map(({ name, path }) => ({ name, path, record_type: null }));
  propose_fields = ({ skill }: Params<'propose_fields'>): Result<'propose_fields'> =>
    this.world.proposals?.[skill] ?? { skill, types: [], config: null };
  /** The sample with the requested settings; counts do not change. */
  preview_records = ({ own, rules, note }: Params<'preview_records'>): Result<'preview_records'> => {
    const page = this.world.recordsPage ?? sampleRecordsPage();
    const set = (own ?? page.own) as { [key: string]: unknown };
    const used = set['match'] as unknown[] | undefined;
    const is = (entry: unknown, of: unknown) => JSON.stringify(entry) === JSON.stringify(of);
    const added = (entry: Result<'preview_records'>['own']) => page.rules.slice(0, 1).map((rule) => ({ ...rule, entry, words: String(Object.values(entry as object)[0]), more: 0 }));
    const known = rules?.flatMap((entry) => page.rules.find((rule) => is(rule.entry, entry)) ?? added(entry)) ?? page.rules;
    return {
      ...page,
      own: set as Result<'preview_records'>['own'],
      config: { records: { [page.record_type]: set } } as Result<'preview_records'>['config'],
      rules: known.map((rule) => (used === undefined ? rule : { ...rule, used: used.some((entry) => is(entry, rule.entry)) })),
      note: page.note && { ...page.note, at: note ?? 0 },
    };
  };
  mark_record = ({ path }: Params<'mark_record'>): Result<'mark_record'> => ({ ...this.call_tool(), changes: [{ path, kind: 'modified' }], change_set: 'marked' });
  list_tools = () => this.world.tools;
  list_server_prompts = (): ServerPrompt[] => this.world.prompts ?? [];
  suggest_resources = (): ResourceSuggestion[] => this.world.resources ?? [];
  list_servers = (): ServersView => this.world.servers ?? { servers: [], broken: [] };
  server_detail = ({ server }: Params<'server_detail'>): ServerDetail => this.world.serverDetails?.[server] ?? sampleServerDetail({ server });
  list_server_files = () => this.world.serverFiles ?? [];
  list_credentials = (): CredentialsView => this.world.credentials ?? { kept_in: null, problem: null, credentials: [] };
  list_pending_tools = () => this.world.pendingTools ?? [];
  list_rules = (): PermissionsView =>
    this.world.permissions ?? { file: '/home/mara/.config/nova/permissions.yaml', problem: null, rules: [], policies: [], tools: [] };
  first_run_options = () => this.world.firstRun;
  pick_folder = () => ({ path: null, shown: null, notes: null });
  decide_approval = () => ({});
  revise_approval = () => ({});
  stop_turn = () => ({});
  stop_call = () => ({});
  stop_tool = () => ({});
  open_note = () => ({});
  open_link = () => ({});
  suggest_tools = (): Result<'suggest_tools'> => [];

  add_rule = ({ answer, pattern }: Params<'add_rule'>): PermissionsView => {
    const view = this.list_rules();
    const others = view.rules.filter((rule) => rule.pattern !== pattern);
    this.world.permissions = { ...view, rules: [{ answer, pattern, line: 3, note: null }, ...others] };
    this.emit({ type: 'rules_changed' });
    return this.world.permissions;
  };

  remove_rule = ({ pattern }: Params<'remove_rule'>): PermissionsView => {
    const view = this.list_rules();
    this.world.permissions = { ...view, rules: view.rules.filter((rule) => rule.pattern !== pattern) };
    this.emit({ type: 'rules_changed' });
    return this.world.permissions;
  };

  revoke_tool = ({ tool }: Params<'revoke_tool'>): PermissionsView => {
    const view = this.list_rules();
    this.world.permissions = { ...view, tools: view.tools.filter((row) => row.tool !== tool) };
    this.emit({ type: 'rules_changed' });
    return this.world.permissions;
  };

  revoke_host = ({ tool, host }: Params<'revoke_host'>): PermissionsView => {
    const view = this.list_rules();
    const without = (hosts: readonly string[]) => hosts.filter((other) => other !== host);
    const tools = view.tools.map((row) => (row.tool === tool ? { ...row, hosts: without(row.hosts) } : row));
    this.world.permissions = { ...view, tools };
    this.emit({ type: 'rules_changed' });
    return this.world.permissions;
  };

  set_appearance = (appearance: Params<'set_appearance'>) => {
    this.world.status = { ...this.world.status, appearance };
    return {};
  };

  set_background = (background: Params<'set_background'>) => {
    this.world.status = { ...this.world.status, background };
    return {};
  };

  set_reminders = (reminders: Params<'set_reminders'>) => {
    this.world.status = { ...this.world.status, reminders };
    return {};
  };

  open_vault = ({ choice, model }: Params<'open_vault'>) => {
    const path = choice.kind === 'folder' ? choice.path : this.world.firstRun.sample_target;
    const notes = this.world.firstRun.found.find((found) => found.path === path)?.notes ?? this.world.firstRun.sample_notes;
    const vault = { name: path.slice(path.lastIndexOf('/') + 1), path, notes, watching: 'watching', problems: [] };
    this.world.status = { ...this.world.status, first_run: false, vault, model: model ?? this.world.status.model };
    return vault;
  };

  vault_page = (): VaultPage =>
    this.world.vaultPage ?? { open: null, recent: [], private: [], own_private: [], private_notes: 0, roots: [] };
  show_vault_folder = () => ({});
  forget_vault = ({ path }: Params<'forget_vault'>): VaultPage => {
    const page = this.vault_page();
    return (this.world.vaultPage = { ...page, recent: page.recent.filter((row) => row.path !== path) });
  };
  set_private = ({ entry, private: isPrivate }: Params<'set_private'>): VaultPage => {
    const page = this.vault_page();
    const others = page.private.filter((row) => row.entry !== entry);
    const added = isPrivate ? [{ entry, is_note: entry.endsWith('.md'), notes: 1 }] : [];
    return (this.world.vaultPage = { ...page, private: [...others, ...added] });
  };
  check_private = ({ path }: Params<'check_private'>): Result<'check_private'> => {
    const entry = this.vault_page().private.find((row) => path.startsWith(row.entry))?.entry ?? null;
    const own = this.vault_page().own_private.some((row) => row.path === path);
    return { path, private: own || entry !== null, entry, unreadable: false, line: own ? 3 : null };
  };
  keep_history = ({ days, bytes }: Params<'keep_history'>): VaultPage => {
    const page = this.vault_page();
    return (this.world.vaultPage = { ...page, open: page.open && { ...page.open, history: { ...page.open.history, days, most_bytes: bytes } } });
  };
  set_root = ({ path, listed }: Params<'set_root'>): VaultPage => {
    const page = this.vault_page();
    const others = page.roots.filter((row) => row.path !== path);
    return (this.world.vaultPage = { ...page, roots: listed ? [...others, { path, shown: path, links: [], found: true }] : others });
  };

  list_workspaces = (): Workspaces => ({ folders: this.world.workspaces ?? [] });
  add_workspace = ({ path, access }: Params<'add_workspace'>): Workspaces => {
    const others = this.list_workspaces().folders.filter((row) => row.path !== path);
    const known = this.list_workspaces().folders.find((row) => row.path === path);
    const added = known ?? { path, shown: path, name: path.slice(path.lastIndexOf('/') + 1), access, problem: null };
    this.world.workspaces = [...others, { ...added, access }];
    return this.list_workspaces();
  };
  remove_workspace = ({ path }: Params<'remove_workspace'>): Workspaces => {
    this.world.workspaces = this.list_workspaces().folders.filter((row) => row.path !== path);
    return this.list_workspaces();
  };

  set_model = ({ session, model }: Params<'set_model'>) => {
    if (session === null) this.world.status = { ...this.world.status, model };
    this.world.sessions = this.world.sessions.map((row) => (row.id === session ? { ...row, model } : row));
    return {};
  };

  check_provider = (_: Params<'check_provider'>): Result<'check_provider'> => ({
    host: 'api.openai.com',
    local: false,
    models: ['gpt-5.2', 'gpt-5.2-mini', 'gpt-basic'],
    without_tools: ['gpt-basic'],
  });
  add_provider = (added: Params<'add_provider'>): Result<'add_provider'> => {
    const { id, kind } = added;
    const { host, local, models, without_tools } = this.check_provider(added);
    const key = { credential: `${id}/key`, state: 'granted' } as const;
    const row = { id, kind, host, local, models, without_tools, agreed: local, problem: null, key, favourites: [], prices: [], health: null };
    this.world.providers = [...this.world.providers.filter((other) => other.id !== id), row];
    return this.check_provider(added);
  };

  set_favourite = ({ model, favourite }: Params<'set_favourite'>) => {
    this.world.providers = this.world.providers.map((row) => {
      if (!model.startsWith(`${row.id}/`)) return row;
      const name = model.slice(row.id.length + 1);
      return { ...row, favourites: [...row.favourites.filter((other) => other !== name), ...(favourite ? [name] : [])] };
    });
    return {};
  };

  agree_provider = ({ provider, host }: Params<'agree_provider'>) => this.agree(provider, host, true);
  revoke_provider = ({ provider, host }: Params<'revoke_provider'>) => this.agree(provider, host, false);

  enable_skill = ({ skill, enabled }: Params<'enable_skill'>): SkillRow[] => {
    this.world.skills = this.world.skills.map((row) =>
      row.id === skill ? { ...row, state: enabled ? 'available' : 'disabled', reason: null } : row,
    );
    return this.world.skills;
  };

  show_skill_files = () => ({});
  show_skills_folder = () => ({});
  skill_manual = (): Result<'skill_manual'> => ({ html: '<h1>Writing skills</h1><p>A skill is a folder.</p>' });

  create_skill = ({ name }: Params<'create_skill'>): Result<'create_skill'> => {
    const [like] = this.world.skills;
    if (like) this.world.skills = [...this.world.skills, { ...like, id: name, name, source: 'folder' }];
    this.emit({ type: 'registry_changed', added: [name], removed: [], changed: [] });
    return { skill: name, files: [`~/.config/nova/skills/${name}/SKILL.md`] };
  };

  private routes = true;
  router = (): Result<'router'> => ({ on: this.routes });
  set_router = ({ on }: Params<'set_router'>): Result<'set_router'> => ({ on: (this.routes = on) });

  taken_by_skill = (): Result<'taken_by_skill'> => [];
  skill_catalog = () => this.world.catalog ?? { tokens: 1412, whole: 1412, budget: 2000, shortened: false, context: 32_768 };

  skill_detail = ({ skill }: Params<'skill_detail'>): SkillDetail => {
    const row = this.world.skills.find(({ id }) => id === skill);
    if (!row) throw { code: 'unknown_skill', message: `There is no skill ${skill}.`, hint: '' } satisfies UserError;
    const tool = (name: string) => ({ name, tool: name.slice(skill.length + 1), on: true, calls: 0, errors: 0, mean_ms: null });
    const nothingSet = { config_schema: null, config: {}, own_config: null, config_problem: null, last_error: null };
    return { skill, tools: row.tools.map(tool), ...nothingSet, ...this.world.details?.[skill] };
  };

  set_skill = ({ skill, tool, config, ...row }: Params<'set_skill'>): SkillRow[] => {
    const detail = this.skill_detail({ skill });
    if (tool) detail.tools = detail.tools.map((one) => (one.tool === tool.tool ? { ...one, on: tool.on } : one));
    if (config !== undefined) {
      this.defaults[skill] ??= detail.config;
      detail.own_config = config as SkillDetail['own_config'];
      detail.config = { ...(this.defaults[skill] as object), ...(config as object | null) };
    }
    this.world.details = { ...this.world.details, [skill]: detail };
    this.world.skills = this.world.skills.map((old) => (old.id === skill ? { ...old, ...row } : old));
    return this.world.skills;
  };

  /** A third-party skill with one file. */
  review_skill = ({ skill }: Params<'review_skill'>): Result<'review_skill'> => ({
    skill,
    description: 'Reads PDF files.',
    instructions: 'Read the file.',
    folder: `~/.agents/skills/${skill}`,
    fingerprint: 'f1',
    state: 'new',
    files: [{ path: 'SKILL.md', bytes: 120, change: null }],
    removed: [],
    tools: [],
    hosts: ['pdf.example'],
    credentials: [],
    env: ['PDF_TOKEN'],
    allowed_tools: 'Bash(*)',
  });

  accept_skill = ({ skill }: Params<'accept_skill'>): SkillRow[] => this.enable_skill({ skill, enabled: true });

  call_tool = (): Result<'call_tool'> => ({ ok: true, value: null, error: null, sources: [], figures: [], changes: [], change_set: null, ms: 1 });

  /** One request to each declared or proposed host, and all its credentials. */
  dry_run_tool = ({ name, hash, args }: Params<'dry_run_tool'>): Result<'dry_run_tool'> => {
    const { hosts = [], proposed_hosts = [], credentials = [] } = this.pending(name, hash).definition ?? {};
    const headers = credentials.length > 0 ? ['authorization'] : [];
    const requests = [...proposed_hosts, ...hosts].map((host) => ({ method: 'GET', url: `https://${host}/`, headers }));
    return { requests, credentials, logs: [`called with ${JSON.stringify(args)}`], value: {}, problem: null };
  };

  promote_tool = ({ name, hash }: Params<'promote_tool'>): Result<'promote_tool'> => {
    const row = this.pending(name, hash);
    this.discard_tool({ name, hash });
    return { tool: `dynamic.${row.definition?.tool ?? name}`, file: row.replaces?.file ?? row.file, replaced: row.replaces && `replaced/${row.replaces.file}` };
  };

  discard_tool = ({ name, hash }: Params<'discard_tool'>) => {
    const row = this.pending(name, hash);
    this.world.pendingTools = this.list_pending_tools().filter((other) => other !== row);
    this.emit({ type: 'pending_tools_changed' });
    return {};
  };

  set_credential = ({ name, grant_to }: Params<'set_credential'>) => {
    const others = this.list_credentials().credentials.filter((row) => row.name !== name && !name.startsWith(`${row.name}/`));
    const old = this.list_credentials().credentials.find((row) => row.name === name);
    const grants = grant_to === undefined ? [] : [{ consumer: grant_to, destination: 'host.example', in_force: true }];
    const row = { name, state: 'kept', reason: null, sign_in: false, host: null, server: null, wanted_by: old?.wanted_by ?? [], grants } as const;
    return this.put_credentials([...others, row], name, 'kept');
  };

  remove_credential = ({ name }: Params<'remove_credential'>) =>
    this.put_credentials(this.list_credentials().credentials.filter((row) => row.name !== name), name, 'missing');

  grant_credential = ({ name, to }: Params<'grant_credential'>) =>
    this.regrant(name, (grants) => [...grants.filter(({ consumer }) => consumer !== to), { consumer: to, destination: 'host.example', in_force: true }]);

  revoke_credential = ({ name, to }: Params<'revoke_credential'>) =>
    this.regrant(name, (grants) => grants.filter(({ consumer }) => consumer !== to));

  unlock_credentials = (): CredentialsView => {
    this.world.credentials = { ...this.list_credentials(), kept_in: 'file', problem: null };
    return this.world.credentials;
  };

  sign_in = ({ name }: Params<'sign_in'>) =>
    this.put_credentials(
      this.list_credentials().credentials.map((row) => (row.name === name ? { ...row, state: 'kept', reason: null } : row)),
      name,
      'kept',
    );

  private regrant(name: string, change: (grants: GrantRow[]) => GrantRow[]): CredentialsView {
    const rows = this.list_credentials().credentials;
    return this.put_credentials(
      rows.map((row) => (row.name === name ? { ...row, grants: change(row.grants) } : row)),
      name,
      'granted',
    );
  }

  private put_credentials(credentials: CredentialRow[], credential: string, state: string): CredentialsView {
    this.world.credentials = { ...this.list_credentials(), credentials };
    this.emit({ type: 'credential_state', credential, state });
    return this.world.credentials;
  }

  read_note = ({ path }: Params<'read_note'>): NoteView => {
    const note = this.world.notes[path] ?? Object.values(this.world.notes).find(({ name }) => name === path);
    if (note) return note;
    throw {
      code: 'note_not_found',
      message: `There is no note “${path}”.`,
      hint: 'It may have been renamed or deleted.',
    } satisfies UserError;
  };

  list_changes = ({ session, state }: Params<'list_changes'>) =>
    this.world.changes.filter(
      (set) => (session === undefined || set.session === session) && (state === undefined || set.state === state),
    );

  list_problems = () => this.world.problems;
  prune_changes = () => ({ forgotten: 0 });

  /** Marks the set as complete. */
  finish_changes = ({ change_set }: Params<'finish_changes'>): Result<'finish_changes'> => {
    const set = this.world.changes.find(({ id }) => id === change_set);
    this.world.changes = this.world.changes.map((one) => (one === set ? { ...one, state: 'committed' } : one));
    return { change_set: `${change_set}-finish`, finished: set?.notes.map(({ path }) => path) ?? [], conflicts: [] };
  };

  /** For a session also emits an event, because the conversation consists of events. */
  resolve_conflict = ({ session, change_set, note, keep }: Params<'resolve_conflict'>): Result<'resolve_conflict'> => {
    if (session !== null && change_set === undefined) this.emit({ type: 'conflict_resolved', note, keep }, { session });
    return { change_set: keep === 'mine' ? 'resolved' : null, conflict: null };
  };

  /** Marks the notes as undone; a call is matched by its notes. */
  undo_changes = ({ change_set, note, call }: Params<'undo_changes'>): Result<'undo_changes'> => {
    const undone: string[] = [];
    this.world.changes = this.world.changes.map((set) => {
      if (set.id !== change_set) return set;
      const notes = set.notes.map((changed) => {
        const meant = (note === undefined || changed.path === note) && (call === undefined || changed.call === call);
        if (!meant || changed.undone) return changed;
        undone.push(changed.path);
        return { ...changed, undone: true };
      });
      const all = notes.every((changed) => changed.undone);
      return { ...set, notes, state: all ? 'undone' : 'partly_undone', undone_at: this.now() };
    });
    return { change_set: undone.length > 0 ? `${change_set}-undo` : null, undone, merged: [], conflicts: [] };
  };

  private agree(provider: string, host: string | undefined, agreed: boolean) {
    this.world.providers = this.world.providers.map((row) => {
      if (row.id !== provider) return row;
      if (!row.local) return { ...row, agreed };
      const passed_on = row.passed_on?.map((one) => (host === undefined || one.host === host ? { ...one, agreed } : one));
      return passed_on ? { ...row, passed_on } : row;
    });
    return {};
  }

  private pending(name: string, hash: string): PendingToolRow {
    const row = this.list_pending_tools().find((row) => row.name === name);
    if (row?.hash === hash) return row;
    throw {
      code: row ? 'pending_tool_changed' : 'unknown_pending_tool',
      message: row ? `${row.file} is not as it was looked at.` : `No tool “${name}” waits.`,
      hint: 'Look at the list again.',
    } satisfies UserError;
  }
}
