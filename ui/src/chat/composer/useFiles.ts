// Files that are dropped, pasted or chosen: what is text goes with the message.

import { useState } from 'react';

import type { AttachedFile } from '../../ipc';
import { limits, sizeOf } from '../../state/attachments';
import { draftOf } from '../../state/app';
import { useActions, useApp } from '../../state/hooks';

export function useFiles() {
  const files = useApp((app) => draftOf(app).files);
  const { setDraft } = useActions();
  const [refused, setRefused] = useState<readonly string[]>([]);

  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(chosen.map(readText));
    const problems: string[] = [];
    const taken: AttachedFile[] = [...files];
    for (const one of read) {
      const problem = typeof one === 'string' ? one : tooMuch(taken, one);
      if (problem !== null) problems.push(problem);
      else taken.push(one as AttachedFile);
    }
    setRefused(problems);
    if (taken.length > files.length) setDraft({ files: taken });
  };
  return {
    refused,
    add: (chosen: readonly File[]) => void add(chosen),
    forgive: () => setRefused([]),
    remove: (index: number) => setDraft({ files: files.filter((_, at) => at !== index) }),
  };
}

/** The file, or why it cannot go along. */
export async function readText(file: File): Promise<AttachedFile | string> {
  const name = file.name || 'pasted.txt';
  if (file.type.startsWith('image/')) return `${name} is a picture. Pictures cannot be sent yet; text files can.`;
  if (file.size > limits.bytesEach) return `${name} has ${kB(file.size)}; up to ${kB(limits.bytesEach)} go with a message. Put it into the vault and ask about it.`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(file));
    if (text.includes('\0')) return `${name} is no text.`;
    return { name, text };
  } catch (thrown) {
    return thrown instanceof TypeError ? `${name} is no text.` : `${name} cannot be read.`;
  }
}

function bytesOf(file: File): Promise<Uint8Array> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(new Uint8Array(reader.result as ArrayBuffer));
    reader.onerror = () => fail(reader.error ?? new Error('unreadable'));
    reader.readAsArrayBuffer(file);
  });
}

/** 12400 → "12 kB" */
export function kB(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`;
}

function tooMuch(taken: readonly AttachedFile[], file: AttachedFile): string | null {
  if (taken.length >= limits.files) return `${file.name}: ${limits.files} files go with one message.`;
  const all = [...taken, file].reduce((sum, { text }) => sum + sizeOf(text), 0);
  return all > limits.bytesInAll ? `${file.name}: together the files have more than ${kB(limits.bytesInAll)}.` : null;
}
