// Images of drafts, from one start to the next. The bytes of each are handed over once, when it was attached;
// after that a draft names it, and what the last one did not name is gone.
import type { Backend, DraftImage, DraftView, NewImage, QueuedMessage } from '../ipc';

/** A draft as the window has it: with its images. */
export interface WholeDraft extends Omit<DraftView, 'images' | 'queued'> {
  readonly images: readonly NewImage[];
  readonly queued: readonly WholeMessage[];
}

export interface WholeMessage extends Omit<QueuedMessage, 'images'> {
  readonly images: readonly NewImage[];
}

export interface KeptDraft extends WholeDraft {
  /** Names of its images that could not be read. */
  readonly lost: readonly string[];
  /** Those of the messages behind it. */
  readonly lostQueued: readonly string[];
}

/** By session: the images of its draft that are on the disk, and what the backend calls them. */
const known = new WeakMap<Backend, Map<string | null, Map<NewImage, DraftImage>>>();

/** What is being written for each backend. */
const writing = new WeakMap<Backend, Promise<unknown>>();

/**
 * Keeps the draft, once its images are on the disk. One after the other, so that the last one given is the last one on the
 * disk. Rejects with a `UserError`.
 */
export function keepDraft(backend: Backend, draft: WholeDraft): Promise<void> {
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
  const keepAll = (all: readonly NewImage[]) => inOrder(all, (image) => keepImage(backend, session, image));
  const kept: DraftView = {
    ...draft,
    images: await keepAll(images),
    queued: await inOrder(queued, async (message) => ({ ...message, images: await keepAll(message.images) })),
  };
  // The backend sweeps those that it does not name: one that comes back is handed over anew.
  const named = new Set([...images, ...queued.flatMap((message) => message.images)]);
  const onDisk = knownOf(backend, session);
  for (const image of onDisk.keys()) if (!named.has(image)) onDisk.delete(image);
  await backend.rpc('keep_draft', kept);
}

/** The draft with its images; one that cannot be read is left out. */
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

async function keepImage(backend: Backend, session: string | null, image: NewImage): Promise<DraftImage> {
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

/** One after the other: an image may have megabytes. */
async function inOrder<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of all) done.push(await each(one));
  return done;
}
