/** The order of names, numbers in them by their size: Note 2 before Note 10. */
export const byName = new Intl.Collator(undefined, { numeric: true }).compare;
