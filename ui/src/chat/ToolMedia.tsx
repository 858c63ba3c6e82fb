// Images, audio and files in an MCP server's answer. Nothing is loaded from the network: the bytes came with
// the answer, and are stored while Nova runs.

import { useState } from 'react';

import { type JsonValue, useBackend, userError } from '../ipc';
import { Icon, LinkButton } from '../shared';
import { revealed } from '../shared/invisible';
import { sizeText } from '../state/attachments';
import { useRpc } from '../state/hooks';
import { isObject } from './wording';

export interface MediaPart {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

/** Rendered types; anything else is a file. */
const drawn = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** Per answer. */
const MOST = 12;

/** The files in an answer. */
export function mediaIn(value: JsonValue): readonly MediaPart[] {
  const parts = Array.isArray(value) ? value : isObject(value) && Array.isArray(value['content']) ? value['content'] : [value];
  return parts.flatMap((part): MediaPart[] => {
    if (!isObject(part)) return [];
    const { media, type, bytes } = part;
    if (typeof media !== 'string' || typeof bytes !== 'number') return [];
    return [{ id: media, type: typeof type === 'string' ? type : '', bytes }];
  });
}

export function ToolMedia({ parts }: { parts: readonly MediaPart[] }) {
  return (
    <ul aria-label="Files" className="flex flex-wrap items-start gap-2">
      {parts.slice(0, MOST).map((part, at) => (
        <li key={`${part.id} ${at}`}>{drawn.includes(part.type) ? <Picture part={part} /> : <FileLine part={part} />}</li>
      ))}
      {parts.length > MOST && <li className="text-small text-fg-3">and {parts.length - MOST} more</li>}
    </ul>
  );
}

function Picture({ part }: { part: MediaPart }) {
  const read = useRpc('read_server_media', { id: part.id });
  if (read.error) return <FileLine part={part} problem="no longer available" />;
  if (!read.data) return <p className="text-small text-fg-3">Reading the image…</p>;
  return (
    <img
      data-testid="tool-image"
      src={`data:${part.type};base64,${read.data.data}`}
      alt={`Image in the answer, ${sizeText(part.bytes)}`}
      className="max-h-60 max-w-80 rounded-card border border-line object-contain"
    />
  );
}

function FileLine({ part: { id, type, bytes }, problem }: { part: MediaPart; problem?: string }) {
  const backend = useBackend();
  const [refused, setRefused] = useState<string | null>(null);
  const show = () => {
    backend.rpc('show_server_media', { id }).then(
      () => setRefused(null),
      (thrown: unknown) => setRefused(userError(thrown).message),
    );
  };
  const kind = type.startsWith('audio/') ? 'Sound' : type.startsWith('image/') ? 'Image' : 'File';
  return (
    <p data-testid="tool-file" className="flex min-h-7 items-center gap-2 rounded-card border border-line px-2 text-small">
      <Icon name={kind === 'Sound' ? 'play' : 'clip'} size={14} className="text-fg-2" />
      {kind} <span className="text-fg-3">{[revealed(type), sizeText(bytes)].filter(Boolean).join(', ')}</span>
      {problem === undefined ? <LinkButton onClick={show}>Show file</LinkButton> : <span className="text-fg-3">{problem}</span>}
      {refused !== null && (
        <span role="alert" className="text-danger">
          {refused}
        </span>
      )}
    </p>
  );
}
