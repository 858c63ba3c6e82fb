// Texts for the note access that a tool file declares.

export type NoteAccess = string | null;

export function noteAccess(vault: NoteAccess): string {
  if (vault === 'write') return 'read and write, at most 500 in one call';
  return vault === 'read' ? 'read' : 'none';
}

/** The highest access of several files. */
export function mostAccess(all: readonly NoteAccess[]): NoteAccess {
  return all.includes('write') ? 'write' : all.includes('read') ? 'read' : null;
}
