// Colours identify symbols: the same for a symbol's line, average and name.

const colours = ['var(--c1)', 'var(--c4)', 'var(--c2)', 'var(--c5)'];

export function colourOf(place: number): string {
  return colours[place % colours.length] ?? 'var(--c1)';
}
