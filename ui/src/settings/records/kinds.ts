/** Display names of field kinds. */
export const kinds: readonly (readonly [kind: string, label: string])[] = [
  ['text', 'text'],
  ['choice', 'choice'],
  ['date', 'date'],
  ['integer', 'whole number'],
  ['decimal', 'number'],
  ['bool', 'yes or no'],
  ['link', 'link'],
  ['list', 'list'],
  ['currency', 'currency'],
];
