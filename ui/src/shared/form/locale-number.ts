// Parses typed numbers. The result is a plain decimal, never a float.

const PLAIN = /^[+-]?\d+(\.\d+)?$/;

/** The locale for numbers; a system without one (`LC_ALL=C`) has a name that `Intl` rejects. */
export function numberLocale(language: string): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** The decimal separator, and the thousands separator. */
function signsOf(locale: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1234567.5);
  const of = (type: string) => parts.find((part) => part.type === type)?.value;
  return { decimal: of('decimal') === ',' ? ',' : '.', group: of('group') ?? ',' };
}

/** The plain decimal of a text; `null` if it is invalid or ambiguous. */
export function readNumber(text: string, locale: string): string | null {
  const { decimal } = signsOf(locale);
  const bare = text
    .trim()
    .replace(/^[−–]/, '-')
    .replace(/(?<=\d)[\s'’](?=\d{3}(\D|$))/g, '');
  const other = decimal === '.' ? ',' : '.';
  const grouped = (by: string) => new RegExp(`^[+-]?\\d{1,3}(\\${by}\\d{3})+$`);
  const [whole = '', fraction, more] = bare.split(decimal);
  // In the user's notation: 12,500.75 or 12.500,75.
  if (more === undefined && (grouped(other).test(whole) || /^[+-]?\d+$/.test(whole)) && (fraction === undefined || /^\d+$/.test(fraction)))
    return joined(whole.replaceAll(other, ''), fraction);
  if (grouped(decimal).test(bare) && bare.split(decimal).length > 2) return bare.replaceAll(decimal, '');
  // In the other notation, if unambiguous: its decimal separator comes last.
  const [left = '', right, third] = bare.split(other);
  if (right === undefined || third !== undefined || !/^\d+$/.test(right)) return null;
  if (grouped(decimal).test(left)) return joined(left.replaceAll(decimal, ''), right);
  return /^[+-]?\d+$/.test(left) && right.length !== 3 ? joined(left, right) : null;
}

/** A plain decimal with the user's decimal separator; other text is unchanged. */
export function shownNumber(text: string, locale: string): string {
  return PLAIN.test(text) ? text.replace('.', signsOf(locale).decimal) : text;
}

function joined(whole: string, fraction: string | undefined): string {
  return fraction === undefined ? whole : `${whole}.${fraction}`;
}
