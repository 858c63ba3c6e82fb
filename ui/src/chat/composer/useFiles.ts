// Attaches dropped, pasted or chosen files: text and images.

import { useState } from 'react';

import type { AttachedFile, NewImage } from '../../ipc';
import { limits, sizeText } from '../../state/attachments';
import { useActions, useApp } from '../../state/hooks';

export type Files = ReturnType<typeof useFiles>;

export function useFiles() {
  const session = useApp((app) => app.open);
  const lost = useApp((app) => app.lostImages[app.open ?? ''] ?? none);
  const { attach, dismissLostImages } = useActions();
  const [refused, setRefused] = useState<readonly string[]>([]);

  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(chosen.map(readFile));
    const readable = read.filter((one) => typeof one !== 'string');
    const unreadable = read.filter((one) => typeof one === 'string');
    setRefused([...unreadable, ...attach(session, readable)]);
  };
  return {
    refused: [...lost.map((name) => `${name} is missing. Attach it again.`), ...refused],
    add: (chosen: readonly File[]) => void add(chosen),
    /** Attaches a file provided by an MCP server. */
    take: (file: AttachedFile) => setRefused(attach(session, [file])),
    forgive: () => {
      dismissLostImages();
      setRefused([]);
    },
  };
}

const none: readonly string[] = [];

/** Image types that models accept. */
const kinds = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** The file, or the reason for its refusal. */
async function readFile(file: File): Promise<AttachedFile | NewImage | string> {
  const name = file.name || (file.type.startsWith('image/') ? 'pasted image' : 'pasted.txt');
  // SVG is text, and attached as such.
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return readImage(file, name);
  if (file.size > limits.bytesEach) return `${name} is ${sizeText(file.size)}; the limit is ${sizeText(limits.bytesEach)}. Add it to the vault and ask about it.`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode((await read(file, 'readAsArrayBuffer')) as ArrayBuffer);
    if (text.includes('\0')) return `${name} is not a text file.`;
    return { name, text };
  } catch (thrown) {
    return thrown instanceof TypeError ? `${name} is not a text file.` : `${name} cannot be read.`;
  }
}

async function readImage(file: File, name: string): Promise<NewImage | string> {
  if (!kinds.includes(file.type)) return `Models cannot read the image format of ${name}. Save it as PNG or JPEG.`;
  if (file.size > limits.bytesOfImage) return `${name} is ${sizeText(file.size)}; the limit for images is ${sizeText(limits.bytesOfImage)}. Make it smaller, or save it as JPEG.`;
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
