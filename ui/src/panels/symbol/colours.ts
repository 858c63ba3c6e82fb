// The colour is the symbol: the same for its line, its average and its name.

const colours = ['var(--c1)', 'var(--c4)', 'var(--c2)', 'var(--c5)'];

export function colourOf(place: number): string {
  return colours[place % colours.length] ?? 'var(--c1)';
}
