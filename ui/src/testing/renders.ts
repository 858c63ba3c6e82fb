// Records which components React renders, through its developer tools hook. Must be loaded before React DOM.

interface Fiber {
  readonly type: unknown;
  readonly flags: number;
  readonly alternate: Fiber | null;
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
}

/** React's flag of a fiber whose component function was called. */
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

/** Names of the components rendered during `work`, in page order. */
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
  // A subtree that React skipped keeps its child.
  if (fiber.child === fiber.alternate?.child) return;
  for (let child = fiber.child; child !== null; child = child.sibling) drawn(child, names);
}

function nameOf(type: unknown): string | null {
  if (typeof type === 'function') return (type as { displayName?: string }).displayName ?? type.name;
  if (typeof type !== 'object' || type === null) return null;
  // The fiber of `memo` wraps that of the component, and is not counted.
  const { displayName, render } = type as { displayName?: string; render?: unknown };
  return render === undefined ? null : (displayName ?? nameOf(render));
}
