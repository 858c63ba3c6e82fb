// Writing and sending messages, and answering questions of a turn.
import { nothing, userError, type AttachedFile, type DecideApproval, type NewImage, type ReviseApproval, type SendMessage } from '../../ipc';
import { draftOf, nothingWritten, pendingTurn, withDraft, withNotSent, withoutLostImages, withSending, type Message, type PendingMessage } from '../app';
import { messageOf, withMore } from '../attachments';
import { saveDraft, withImagesRead } from '../draft-images';
import { behind, wholeDraft, withKeptDrafts } from '../saved-state';
import type { Said } from '../session';
import type { Tools } from './access';
import type { queueActions } from './queue';
import { newTurn, type Sending } from './sending';
import { type sessionActions, unread } from './sessions';

type Others = Pick<ReturnType<typeof sessionActions>, 'createSession'> & Pick<ReturnType<typeof queueActions>, 'sendDue'>;

export function messageActions({ backend, get, set, setApp, attempt }: Tools, { nextQueued, saveNow, handOver, stop, settled, withUnsent }: Sending, { createSession, sendDue }: Others) {
  return {
    /** Loads the drafts from before the last close. */
    loadDrafts: () =>
      attempt(async () => {
        const drafts = await backend.rpc('list_drafts', nothing);
        const whole = await Promise.all(drafts.map((draft) => withImagesRead(backend, draft)));
        setApp((app) => withKeptDrafts(app, whole, nextQueued));
      }),

    /**
     * Sends the message of a turn in the open chat again, unchanged or edited. Rejects with a `UserError`.
     */
    async sendAgain({ text, skills, tool, images, outside }: Said, other: Pick<SendMessage, 'after'> & { text?: string } = {}): Promise<void> {
      const session = get().app.open;
      if (session === null) return;
      const shown = await Promise.all(
        images.map(async ({ id, name }) => ({ name, ...(await backend.rpc('read_image', { session, id })) })),
      );
      const again: PendingMessage = { text: other.text ?? text, tool, skills, files: [...outside], images: shown, turn: newTurn() };
      const send = () => backend.rpc('send_message', { session, ...messageOf(again), ...other, turn: again.turn });
      // Unchanged, it is already in the log.
      if (other.text === undefined) return void (await send());
      await saveDraft(backend, behind(wholeDraft(get().app, session), again)).catch(() => {});
      try {
        await send();
      } finally {
        void saveNow(session);
      }
    },

    /**
     * Sends a text with the draft's tool, skills and files; on failure everything is restored to the draft,
     * and the error is shown in that chat. Rejects with a `UserError`.
     */
    async sendDraft(text: string): Promise<void> {
      const before = get().app.open;
      const { tool, skills, files, images } = draftOf(get().app);
      const message: PendingMessage = { text, tool, skills, files, images, turn: newTurn() };
      setApp((app) => withSending(withDraft(withNotSent(withoutLostImages(app, before), before, null), before, nothingWritten), before, message));
      let session = before;
      try {
        session ??= await createSession();
        await saveNow(session);
        if (before === null) await saveNow(null);
        await handOver(session, message);
        const taken = session;
        setApp((app) => withSending(app, taken, null));
      } catch (thrown) {
        const error = userError(thrown);
        // Shown in this chat, whichever is open by now.
        setApp((app) => withNotSent(withUnsent(app, session, message, error.message), session, error));
        throw thrown;
      } finally {
        if (settled(session, message.turn) && session !== null) void sendDue(session);
      }
    },

    /**
     * Appends files to a chat's draft; reading them may have taken a while. Returns the reasons for those
     * that do not fit.
     */
    attach(session: string | null, more: readonly (AttachedFile | NewImage)[]): readonly string[] {
      const { refused, ...taken } = withMore(draftOf({ ...get().app, open: session }), more);
      if (refused.length < more.length) setApp((app) => withDraft(app, session, taken));
      return refused;
    },

    /** The user dismissed the message about lost images of the open chat's draft. */
    dismissLostImages(): void {
      setApp((app) => withoutLostImages(app, app.open));
    },

    /** Changes the open chat's draft. `give`: the text does not come from the field. */
    setDraft(part: Partial<Message>, give = false): void {
      setApp((app) => withDraft(app, app.open, part, give));
    },

    /** Stops the open session's turn, even before it has begun. Rejects with a `UserError`. */
    async stop(): Promise<void> {
      const session = get().app.open;
      const pending = pendingTurn(get().app);
      if (pending !== null) stop(pending);
      if (session !== null) await backend.rpc('stop_turn', { session });
    },

    /** Stops one call of the open session, within its turn or detached. Rejects with a `UserError`. */
    async stopCall(call: string): Promise<void> {
      const session = get().app.open;
      if (session !== null) await backend.rpc('stop_call', { session, call });
    },

    /** Rejects with a `UserError`. */
    async decide(answer: DecideApproval): Promise<void> {
      await backend.rpc('decide_approval', answer);
    },

    /** Requests the same question with other arguments and a new diff. Rejects with a `UserError`. */
    async revise(what: ReviseApproval): Promise<void> {
      await backend.rpc('revise_approval', what);
    },

    /** Starts collecting the events of a form run before it is started. */
    watch(run: string): void {
      set((state) => ({ ...state, streams: { ...state.streams, [run]: state.streams[run] ?? unread } }));
    },

    unwatch(run: string): void {
      set((state) => {
        const { [run]: _gone, ...streams } = state.streams;
        return { ...state, streams };
      });
    },
  };
}
