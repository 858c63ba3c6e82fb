// The user's actions on messages: each is a call of the skill's tools, with its question and its bar.

import { useState, type Dispatch } from 'react';

import { useBackend, type JsonValue, type ToolResult } from '../../ipc';
import { draftOf } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';
import { isRow, type Row } from '../skill/answer';
import type { PanelCalls } from '../skill/useCalls';
import { failed } from '../skill/useReads';
import { togetherWith } from './conversations';
import type { Attachment, Message } from './messages';
import { attachmentKey, type MailChange } from './state';
import { aboutText, quotedSubject, subjectText } from './words';

export interface MailActs {
  /** Like the next three, with the other listed messages of its conversation. */
  archive(message: Message): void;
  /** Moves it to its mailbox's trash. */
  remove(message: Message): void;
  move(message: Message, folder: string): void;
  /** As unread, it alone. */
  mark(message: Message, unread: boolean): void;
  /** Marks it as read if the user's rules need no question. */
  markShown(message: Message): void;
  /**
   * Saves an attachment to the vault; returns its path, `null` on failure. `at` is its index in the message.
   */
  save(message: Message, attachments: readonly Attachment[], at: number): Promise<string | null>;
  /** `path`: the note of a contact. `date`: YYYY-MM-DD. */
  log(message: Message, path: string, text: string, date: string): Promise<ToolResult>;
  /** Sends a message or stores a draft. */
  write(label: string, tool: string, args: Row): Promise<ToolResult>;
  /** Starts a question about it in the composer. */
  ask(message: Message): void;
  /** The run that marks a message as read without a bar, although it may still ask. */
  readonly quietRun: string | null;
}

interface Panel {
  readonly dispatch: Dispatch<MailChange>;
  /** Messages of the list. */
  readonly messages: readonly Message[];
  nameOf(tool: string): string;
  readonly calls: PanelCalls;
  again(): void;
}

export function useActs({ dispatch, messages, nameOf, calls, again }: Panel): MailActs {
  const backend = useBackend();
  const { setDraft, setPanel, watch, unwatch } = useActions();
  const [quietRun, setQuietRun] = useState<string | null>(null);
  const draft = useApp(draftOf);
  const call = async (label: string, tool: string, args: Row) => {
    const result = await calls.call(label, nameOf(tool), args);
    if (result.ok) again();
    return result;
  };
  const idsOf = (message: Message) => togetherWith(message, messages).map(({ id }) => id);
  /** Moves them out of their folder. */
  const away = (label: string, tool: string, message: Message, args: Row = {}) => {
    const all = idsOf(message);
    const more = all.length > 1 ? ` and ${all.length - 1} more` : '';
    void call(`${label} ${nameFor(message)}${more}`, tool, { ids: all, ...args }).then((result) => {
      const ids = doneOf(result);
      if (ids.length > 0) dispatch({ type: 'gone', ids });
    });
  };
  const mark = (message: Message, unread: boolean) => {
    const marked = unread ? [message.id] : idsOf(message);
    void call(`Mark ${nameFor(message)} as ${unread ? 'unread' : 'read'}`, 'mark', { ids: marked, as: unread ? 'unread' : 'read' }).then((result) => {
      const ids = doneOf(result);
      if (ids.length > 0) dispatch({ type: 'marked', ids, unread });
    });
  };

  return {
    archive: (message) => away('Archive', 'archive', message),
    remove: (message) => away('Delete', 'delete', message),
    move: (message, folder) => away('Move', 'move', message, { to: folder }),
    mark,
    markShown: (message) => {
      const args = { ids: [message.id], as: 'read' };
      const marked = async () => {
        const { verdict } = await backend.rpc('try_rule', { tool: nameOf('mark'), args, relationship: null });
        // Opening a message must not ask.
        if (verdict !== 'run') return;
        const run = `panel-${crypto.randomUUID()}`;
        watch(run);
        setQuietRun(run);
        const result = await backend.rpc('call_tool', { tool: nameOf('mark'), args, run }).catch(failed);
        unwatch(run);
        setQuietRun(null);
        const ids = doneOf(result);
        if (ids.length > 0) dispatch({ type: 'marked', ids, unread: false });
      };
      // On failure it stays unread, as the list shows.
      marked().catch(() => undefined);
    },
    save: async (message, attachments, at) => {
      const name = attachments[at]?.name ?? '';
      const same = attachments.flatMap((one, place) => (one.name === name ? [place] : []));
      const number: Row = same.length > 1 ? { number: same.indexOf(at) + 1 } : {};
      const result = await calls.call(`Save ${quotedSubject(name)}`, nameOf('save_attachment'), { id: message.id, name, ...number });
      const path = savedIn(result);
      if (path !== null) dispatch({ type: 'saved', attachment: attachmentKey(message, at), path });
      return path;
    },
    log: async (message, path, text, date) => {
      const run = `panel-${crypto.randomUUID()}`;
      const result = await calls.call(`Log ${nameFor(message)}`, 'crm.log_interaction', { name: path, text, date }, run);
      // The form shows the result.
      calls.dismiss({ id: run });
      return result;
    },
    write: call,
    ask: (message) => {
      const before = draft.text.trimEnd();
      setDraft({ text: `${before}${before === '' ? '' : '\n'}${aboutText(message)}`, skills: [...new Set([...draft.skills, 'mail'])] }, true);
      setPanel({ wide: false, peek: false });
      requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus());
    },
    quietRun,
  };
}

const nameFor = ({ subject }: Message) => quotedSubject(subjectText(subject));

/** The path of a saved attachment. */
export function savedIn(result: ToolResult | null): string | null {
  const path: JsonValue | undefined = result?.ok === true && isRow(result.value) ? result.value['path'] : null;
  return typeof path === 'string' ? path : null;
}

/** Ids of the messages changed by a call. */
function doneOf({ ok, value }: ToolResult): string[] {
  const done: JsonValue | undefined = ok && isRow(value) ? value['done'] : [];
  return Array.isArray(done) ? done.flatMap((one) => (isRow(one) && typeof one['id'] === 'string' ? [one['id']] : [])) : [];
}
