// Images of drafts, from one start to the next. The bytes of each are handed over once, when it was attached;
// after that a draft names it.
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
  /** Names of the images that could not be read. */
  readonly lost: readonly string[];
}

/** By image, then by session: what the backend calls it. */
const known = new WeakMap<NewImage, Map<string | null, DraftImage>>();

/** The draft as it is kept, once its images are on the disk. Rejects with a `UserError`. */
export async function withImagesKept(backend: Backend, { images, queued, ...draft }: WholeDraft): Promise<DraftView> {
  const { session } = draft;
  const keepAll = (all: readonly NewImage[]) => inOrder(all, (image) => keepImage(backend, session, image));
  return {
    ...draft,
    images: await keepAll(images),
    queued: await inOrder(queued, async (message) => ({ ...message, images: await keepAll(message.images) })),
  };
}

/** The draft with its images; one that cannot be read is left out. */
export async function withImagesRead(backend: Backend, { images, queued, ...draft }: DraftView): Promise<KeptDraft> {
  const { session } = draft;
  const lost: string[] = [];
  const readAll = async (all: readonly DraftImage[]) => {
    const read = await Promise.all(all.map((image) => readImage(backend, session, image)));
    for (const [at, { name }] of all.entries()) if (read[at] === null && !lost.includes(name)) lost.push(name);
    return read.filter((image) => image !== null);
  };
  return {
    ...draft,
    images: await readAll(images),
    queued: await inOrder(queued, async (message) => ({ ...message, images: await readAll(message.images) })),
    lost,
  };
}

async function keepImage(backend: Backend, session: string | null, image: NewImage): Promise<DraftImage> {
  const before = known.get(image)?.get(session);
  if (before) return before;
  const kept = await backend.rpc('keep_draft_image', { session, image });
  remember(image, session, kept);
  return kept;
}

async function readImage(backend: Backend, session: string | null, kept: DraftImage): Promise<NewImage | null> {
  try {
    const image = await backend.rpc('read_draft_image', { session, id: kept.id });
    remember(image, session, kept);
    return image;
  } catch {
    return null;
  }
}

function remember(image: NewImage, session: string | null, kept: DraftImage): void {
  const of = known.get(image) ?? new Map<string | null, DraftImage>();
  known.set(image, of.set(session, kept));
}

/** One after the other: an image may have megabytes. */
async function inOrder<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const one of all) done.push(await each(one));
  return done;
}
