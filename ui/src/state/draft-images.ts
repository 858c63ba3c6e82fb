// Images of drafts across restarts. Their bytes are sent once, when attached; afterwards drafts refer to them
// by name, and images that the last draft did not name are deleted.
import type { Backend, DraftImage, DraftView, NewImage, QueuedMessage } from '../ipc';

/** A draft with its images, as used by the window. */
export interface WholeDraft extends Omit<DraftView, 'images' | 'queued'> {
  readonly images: readonly NewImage[];
  readonly queued: readonly WholeMessage[];
}

export interface WholeMessage extends Omit<QueuedMessage, 'images'> {
  readonly images: readonly NewImage[];
}

export interface KeptDraft extends WholeDraft {
  /** Names of its unreadable images. */
  readonly lost: readonly string[];
  /** Those of its queued messages. */
  readonly lostQueued: readonly string[];
}

/** Stored images of drafts by session, with their names in the backend. */
const known = new WeakMap<Backend, Map<string | null, Map<NewImage, DraftImage>>>();

/** The pending write, by backend. */
const writing = new WeakMap<Backend, Promise<unknown>>();

/**
 * Saves the draft once its images are stored. Writes are serialised, so that the last draft wins. Rejects
 * with a `UserError`.
 */
export function saveDraft(backend: Backend, draft: WholeDraft): Promise<void> {
  const before = writing.get(backend) ?? Promise.resolve();
  const kept = before.then(() => write(backend, draft));
  writing.set(
    backend,
    kept.catch(() => {}),
  );
  return kept;
}

async function write(backend: Backend, { images, queued, ...draft }: WholeDraft): Promise<void> {
  const { session } = draft;
  const saveAll = (all: readonly NewImage[]) => inOrder(all, (image) => saveImage(backend, session, image));
  const kept: DraftView = {
    ...draft,
    images: await saveAll(images),
    queued: await inOrder(queued, async (message) => ({ ...message, images: await saveAll(message.images) })),
  };
  // The backend deletes images that are not named: one that is attached again must be sent again.
  const named = new Set([...images, ...queued.flatMap((message) => message.images)]);
  const onDisk = knownOf(backend, session);
  for (const image of onDisk.keys()) if (!named.has(image)) onDisk.delete(image);
  await backend.rpc('keep_draft', kept);
}

/** The draft with its images; unreadable ones are omitted. */
export async function withImagesRead(backend: Backend, { images, queued, ...draft }: DraftView): Promise<KeptDraft> {
  const { session } = draft;
  const lost: string[] = [];
  const lostQueued: string[] = [];
  const readAll = async (all: readonly DraftImage[], lost: string[]) => {
    const read = await Promise.all(all.map((image) => readImage(backend, session, image)));
    for (const [at, { name }] of all.entries()) if (read[at] === null && !lost.includes(name)) lost.push(name);
    return read.filter((image) => image !== null);
  };
  return {
    ...draft,
    images: await readAll(images, lost),
    queued: await inOrder(queued, async (message) => ({ ...message, images: await readAll(message.images, lostQueued) })),
    lost,
    lostQueued,
  };
}

async function saveImage(backend: Backend, session: string | null, image: NewImage): Promise<DraftImage> {
  const onDisk = knownOf(backend, session);
  const before = onDisk.get(image);
  if (before) return before;
  const kept = await backend.rpc('keep_draft_image', { session, image });
  onDisk.set(image, kept);
  return kept;
}

async function readImage(backend: Backend, session: string | null, kept: DraftImage): Promise<NewImage | null> {
  try {
    const image = await backend.rpc('read_draft_image', { session, id: kept.id });
    knownOf(backend, session).set(image, kept);
    return image;
  } catch {
    return null;
  }
}

function knownOf(backend: Backend, session: string | null): Map<NewImage, DraftImage> {
  const sessions = known.get(backend) ?? new Map<string | null, Map<NewImage, DraftImage>>();
  known.set(backend, sessions);
  const onDisk = sessions.get(session) ?? new Map<NewImage, DraftImage>();
  sessions.set(session, onDisk);
  return onDisk;
}

/** Sequentially: an image may have megabytes. */
async function inOrder<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of all) done.push(await each(one));
  return done;
}
