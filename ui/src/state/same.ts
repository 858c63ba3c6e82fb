/** Whether two lists have the same members in the same order. */
export function sameList(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before === now || (before.length === now.length && before.every((one, at) => Object.is(one, now[at])));
}
