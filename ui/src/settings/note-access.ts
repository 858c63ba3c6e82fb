// What a tool file declares to do with notes, in words.

export type NoteAccess = string | null;

export function noteAccess(vault: NoteAccess): string {
  if (vault === 'write') return 'read and write, at most 500 in one call';
  return vault === 'read' ? 'read' : 'none';
}

/** The most that any of several files may do. */
export function mostAccess(all: readonly NoteAccess[]): NoteAccess {
  return all.includes('write') ? 'write' : all.includes('read') ? 'read' : null;
}
