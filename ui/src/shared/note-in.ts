import type { JsonValue } from '../ipc';

/** The note named by a value: a path, or a wikilink. */
export function noteIn(value: JsonValue | undefined): { note: string; label: string } | null {
  if (typeof value !== 'string') return null;
  const link = /^\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]$/.exec(value);
  if (link?.[1] !== undefined) return { note: link[1], label: link[2] ?? link[1] };
  if (!/^[^\n]+\.md$/.test(value)) return null;
  return { note: value, label: value.replace(/^.*\//, '').replace(/\.md$/, '') };
}
