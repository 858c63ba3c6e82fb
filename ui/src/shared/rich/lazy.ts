// A library that most messages do not need: its own file of the build, read when it is first wanted.

export interface Lazy<T> {
  /** None until it was loaded. */
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
          // The next one who wants it asks again.
          loading = null;
          throw failed;
        },
      )),
  };
}

/** What was made once of a text is copied from then on: a message that grows makes its last block anew all the time. */
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
