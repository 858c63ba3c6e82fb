// Files that are dropped, pasted or chosen: text and images go with the message.

import { useState } from 'react';

import type { AttachedFile, NewImage } from '../../ipc';
import { limits, sizeOf } from '../../state/attachments';
import { draftOf, type Draft } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';

type Taken = Pick<Draft, 'files' | 'images'>;

export function useFiles() {
  const session = useApp((app) => app.open);
  const draft = useApp(draftOf);
  const { attach } = useActions();
  const [refused, setRefused] = useState<readonly string[]>([]);

  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(chosen.map(readFile));
    const problems: string[] = [];
    const files: AttachedFile[] = [];
    const images: NewImage[] = [];
    for (const one of read) {
      if (typeof one === 'string') {
        problems.push(one);
        continue;
      }
      const problem = tooMuch({ files: [...draft.files, ...files], images: [...draft.images, ...images] }, one);
      if (problem !== null) problems.push(problem);
      else if ('data' in one) images.push(one);
      else files.push(one);
    }
    setRefused(problems);
    if (files.length + images.length > 0) attach(session, { files, images });
  };
  return {
    refused,
    add: (chosen: readonly File[]) => void add(chosen),
    forgive: () => setRefused([]),
  };
}

/** What models look at. */
const kinds = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** The file, or why it cannot go along. */
async function readFile(file: File): Promise<AttachedFile | NewImage | string> {
  const name = file.name || (file.type.startsWith('image/') ? 'pasted image' : 'pasted.txt');
  // A drawing in SVG is text, and goes along as such.
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return readImage(file, name);
  if (file.size > limits.bytesEach) return `${name} has ${sizeText(file.size)}; up to ${sizeText(limits.bytesEach)} go with a message. Put it into the vault and ask about it.`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode((await read(file, 'readAsArrayBuffer')) as ArrayBuffer);
    if (text.includes('\0')) return `${name} is no text.`;
    return { name, text };
  } catch (thrown) {
    return thrown instanceof TypeError ? `${name} is no text.` : `${name} cannot be read.`;
  }
}

async function readImage(file: File, name: string): Promise<NewImage | string> {
  if (!kinds.includes(file.type)) return `${name} is an image of a kind that models do not look at. Save it as PNG or JPEG.`;
  if (file.size > limits.bytesOfImage) return `${name} has ${sizeText(file.size)}; an image goes along up to ${sizeText(limits.bytesOfImage)}. Make it smaller, or save it as JPEG.`;
  try {
    const address = await read(file, 'readAsDataURL');
    return { name, media_type: file.type, data: String(address).replace(/^[^,]*,/, '') };
  } catch {
    return `${name} cannot be read.`;
  }
}

function read(file: File, how: 'readAsArrayBuffer' | 'readAsDataURL'): Promise<FileReader['result']> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => fail(reader.error ?? new Error('unreadable'));
    reader[how](file);
  });
}

/** 12400 → "12 kB", 5200000 → "5.2 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, '')} MB`;
}

/** Bytes that a text in base64 stands for. */
export function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function tooMuch(taken: Taken, one: AttachedFile | NewImage): string | null {
  if ('data' in one) return taken.images.length >= limits.images ? `${one.name}: ${limits.images} images go with one message.` : null;
  if (taken.files.length >= limits.files) return `${one.name}: ${limits.files} files go with one message.`;
  const all = [...taken.files, one].reduce((sum, { text }) => sum + sizeOf(text), 0);
  return all > limits.bytesInAll ? `${one.name}: together the files have more than ${sizeText(limits.bytesInAll)}.` : null;
}
