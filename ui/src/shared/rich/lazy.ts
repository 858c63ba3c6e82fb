// A library that few messages need: a separate chunk, loaded on demand.

export interface Lazy<T> {
  /** Null until loaded. */
  now(): T | null;
  load(): Promise<T>;
}

export function lazy<T>(read: () => Promise<T>): Lazy<T> {
  let loaded: T | null = null;
  let loading: Promise<T> | null = null;
  return {
    now: () => loaded,
    load: () =>
      (loading ??= read().then(
        (library) => (loaded = library),
        (failed: unknown) => {
          // The next use retries.
          loading = null;
          throw failed;
        },
      )),
  };
}

/** Caches results by text: a streaming message renders its last block again and again. */
export function remembered(make: (text: string, kind: string) => Node | null, most = 300): (text: string, kind: string) => Node | null {
  const made = new Map<string, Node | null>();
  return (text, kind) => {
    const key = `${kind}\n${text}`;
    if (!made.has(key)) {
      if (made.size >= most) made.clear();
      made.set(key, make(text, kind));
    }
    return made.get(key)?.cloneNode(true) ?? null;
  };
}
