// Which components React draws, as its developer tools see it. React's DOM looks for them when it is loaded.

interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly alternate: Fiber | null;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
}

/** React's own mark of a component whose function was called. */
const PERFORMED_WORK = 1;

let seen: string[] | null = null;

(globalThis as { __REACT_DEVTOOLS_GLOBAL_HOOK__?: object }).__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true,
  inject: () => 1,
  onCommitFiberUnmount: () => undefined,
  onCommitFiberRoot: (_id: number, root: { readonly current: Fiber }) => {
    if (seen !== null) drawn(root.current, seen);
  },
};

/** Names of the components that are drawn anew, in the order of the page, while `work` is done. */
export function rendersOf(work: () => void): string[] {
  const names: string[] = [];
  seen = names;
  try {
    work();
  } finally {
    seen = null;
  }
  return names;
}

function drawn(fiber: Fiber, names: string[]): void {
  const name = nameOf(fiber.type);
  if (name !== null && (fiber.flags & PERFORMED_WORK) !== 0) names.push(name);
  // What React did not go into is the same child as before.
  if (fiber.child === fiber.alternate?.child) return;
  for (let child = fiber.child; child !== null; child = child.sibling) drawn(child, names);
}

function nameOf(type: unknown): string | null {
  if (typeof type === 'function') return (type as { displayName?: string }).displayName ?? type.name;
  if (typeof type !== 'object' || type === null) return null;
  // What `memo` makes stands above the component itself, and is not counted.
  const { displayName, render } = type as { displayName?: string; render?: unknown };
  return render === undefined ? null : (displayName ?? nameOf(render));
}
