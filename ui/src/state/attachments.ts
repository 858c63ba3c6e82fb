// Attachments of a message: images and MCP content as they are, text files appended to the text, each in a
// fence that its content cannot close.
import type { AttachedFile, NewImage, SendMessage } from '../ipc';
import type { Message } from './app';

/** Per message. Small models cannot use 200 kB. */
export const limits = { files: 8, bytesEach: 100_000, bytesInAll: 200_000, images: 10, bytesOfImage: 3_932_160 };

/**
 * Adds files and images to a draft up to the limits of a message, and gives the reasons for refusing the
 * others.
 */
export function withMore(draft: Pick<Message, 'files' | 'images'>, more: readonly (AttachedFile | NewImage)[]) {
  const files = [...draft.files];
  const images = [...draft.images];
  const refused: string[] = [];
  for (const one of more) {
    const problem = tooMuch({ files, images }, one);
    if (problem !== null) refused.push(problem);
    else if ('data' in one) images.push(one);
    else files.push(one);
  }
  return { files, images, refused };
}

/** The request that sends a draft. */
export function messageOf({ text, tool, skills, files, images }: Message): Omit<SendMessage, 'session'> {
  return {
    text: withFiles(text, files.filter((file) => !isOutside(file))),
    skills: [...skills],
    ...(tool === null ? {} : { tool }),
    ...(images.length === 0 ? {} : { images: [...images] }),
    ...(files.some(isOutside) ? { outside: files.filter(isOutside) } : {}),
  };
}

/** Whether it comes from an MCP server. */
export function isOutside({ from }: AttachedFile): boolean {
  return from !== undefined;
}

/** The sent text: the message, then the files. */
export function withFiles(text: string, files: readonly AttachedFile[]): string {
  return [text, ...files.map(block)].filter((part) => part !== '').join('\n\n');
}

export interface SplitText {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/** Splits a sent text into message and files. Anything not in the exact format stays in the message. */
export function splitFiles(message: string): SplitText {
  const first = /(?:^|\n\n)Attached file: /.exec(message);
  for (let from = first?.index; from !== undefined; ) {
    const files = filesFrom(message.slice(from).replace(/^\n\n/, ''));
    if (files) return { text: message.slice(0, from), files };
    const next = message.indexOf('\n\nAttached file: ', from + 2);
    from = next < 0 ? undefined : next;
  }
  return { text: message, files: [] };
}

/** UTF-8 bytes. */
export function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** 12400 → "12 kB", 5200000 → "5.2 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
}

/** Number of bytes encoded in base64. */
export function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function tooMuch(taken: Pick<Message, 'files' | 'images'>, one: AttachedFile | NewImage): string | null {
  if ('data' in one) return taken.images.length >= limits.images ? `${one.name}: a message can have at most ${limits.images} images.` : null;
  if (taken.files.length >= limits.files) return `${one.name}: a message can have at most ${limits.files} files.`;
  const all = [...taken.files, one].reduce((sum, { text }) => sum + sizeOf(text), 0);
  return all > limits.bytesInAll ? `${one.name}: the files of a message can have ${sizeText(limits.bytesInAll)} together.` : null;
}

function block({ name, text }: AttachedFile): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `Attached file: ${name.replaceAll(/\s+/g, ' ')}\n\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function filesFrom(message: string): AttachedFile[] | null {
  const files: AttachedFile[] = [];
  let rest = message;
  while (rest !== '') {
    const head = /^Attached file: ([^\n]+)\n\n(`{3,})\n/.exec(rest);
    if (!head) return null;
    const [whole, name = '', fence = ''] = head;
    const end = rest.indexOf(`\n${fence}`, whole.length - 1);
    if (end < 0) return null;
    files.push({ name, text: rest.slice(whole.length, end + 1) });
    rest = rest.slice(end + 1 + fence.length);
    if (rest !== '' && !rest.startsWith('\n\n')) return null;
    rest = rest.slice(2);
  }
  return files;
}
