/** Natural order of names: Note 2 before Note 10. */
export const byName = new Intl.Collator(undefined, { numeric: true }).compare;
