// Finds figures computed by tools in a text, and amounts without a source.

import type { FigureView, JsonValue } from '../../ipc';
import { currencyOf } from '../amount';
import { decimal, showsRounded, type Decimal } from '../decimal';

/** A number in a text. */
export interface FoundNumber {
  /** Range in the text, including sign and unit. */
  readonly start: number;
  readonly end: number;
  /** Index of the matching figure; null for money or a percentage without one. */
  readonly figure: number | null;
}

/** The numbers known in a turn. */
export interface Known {
  readonly figures: readonly FigureView[];
  /** Other numbers from tools or the user, which have a source. */
  readonly said: ReadonlySet<string>;
}

const SIGN = '[€$£¥]|(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|CNY|INR)';
const SPACE = '[ \\u00a0\\u2009\\u202f]';
const GROUPED = `\\d{1,3}(?:[,.'’\\u00a0\\u2009\\u202f]\\d{3})+(?:[.,]\\d{1,2})?(?!\\d)`;
const NUMBER = `(?:${GROUPED}|\\d+(?:[.,]\\d+)?)`;
/** Zeros for abbreviations of amounts. */
const ZEROS: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|K|thousand|tsd\.?|mil|mille|duizend)$/i, 3],
  [/^(?:m|mn|mln|mio\.?|millions?|millionen|millones|millón|miljoen)$/i, 6],
  [/^(?:b|bn|billions?|mrd\.?|milliards?|milliarden|miljard)$/i, 9],
];
const SHORT =
  '(?:[kKmMbB]|bn|mn|mln|[Tt]sd\\.?|[Mm]io\\.?|[Mm]rd\\.?|thousand|millions?|billions?|Millionen|Milliarden|mille|milliards?|mil|millones|millón|duizend|miljoen|miljard)(?![\\p{L}\\d])';
const WORDS: Readonly<Record<string, string>> = {
  percent: '%', 'per cent': '%', Prozent: '%', 'pour cent': '%', 'por ciento': '%', procent: '%',
  euro: 'EUR', euros: 'EUR', Euro: 'EUR', Euros: 'EUR', dollars: 'USD', pounds: 'GBP', yen: 'JPY',
};
const UNIT = `%|${SIGN}|(?:${Object.keys(WORDS).join('|')})(?!\\p{L})`;
const pattern = new RegExp(
  `(?:(${SIGN})${SPACE}?)?(?:([+\\-−–])${SPACE}?)?(?:(${SIGN})${SPACE}?)?(${NUMBER})(?:${SPACE}?(${SHORT}))?(?:${SPACE}?(${UNIT}))?`,
  'gu',
);

/** The figures in a text, and its money and percentages without a source. */
export function findNumbers(text: string, { figures, said }: Known): FoundNumber[] {
  const found: FoundNumber[] = [];
  for (const match of text.matchAll(pattern)) {
    const [whole, before, sign = '', inner, digits = '', short, after] = match;
    const unit = unitOf(before ?? inner ?? after);
    // A dash before a bare number is more often a hyphen than a minus.
    const lead = unit === null || isWordBefore(text, match.index) ? whole.indexOf(digits) : 0;
    const start = match.index + lead;
    // "5 m" after a bare number may be metres; only money and percentages are abbreviated.
    const end = unit === null ? match.index + whole.indexOf(digits) + digits.length : match.index + whole.length;
    if (isPartOfWord(text, match.index + whole.indexOf(digits), end, before ?? inner)) continue;
    const negative = lead === 0 && /[-−–]/.test(sign);
    const readings = readingsOf(digits, unit === null ? undefined : short);
    const figure = figures.findIndex((one) => fits(one, readings, unit, negative));
    if (figure >= 0) found.push({ start, end, figure });
    else if (unit !== null && !readings.some((one) => said.has(plain(one)))) found.push({ start, end, figure: null });
  }
  return found;
}

const spoken = new RegExp(`(${NUMBER})(?:${SPACE}?(${SHORT}))?`, 'gu');

/** The numbers in tool output and in the user's messages. */
export function numbersSaid(values: readonly JsonValue[]): ReadonlySet<string> {
  const said = new Set<string>();
  const visit = (value: JsonValue) => {
    if (typeof value === 'number' || typeof value === 'string') {
      for (const [, digits = '', short] of String(value).matchAll(spoken)) {
        for (const one of [...readingsOf(digits), ...readingsOf(digits, short)]) said.add(plain(one));
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) visit(part);
    }
  };
  values.forEach(visit);
  return said;
}

function fits({ value, unit }: FigureView, readings: readonly Decimal[], written: string | null, negative: boolean): boolean {
  const exact = decimal(value);
  if (exact === null) return false;
  if (written !== null && unit !== '' && written !== unit) return false;
  if (written === '%' && unit !== '%') return false;
  const size = { ...exact, digits: exact.digits < 0n ? -exact.digits : exact.digits };
  if (negative && exact.digits > 0n) return false;
  return readings.some((reading) => {
    // "7" alone may count anything. A bare number must have the figure's full precision.
    if (written === null && plain(reading) !== plain(size)) return false;
    if (written === null && unit !== '' && plain(reading).replace(/\D/g, '').length < 3) return false;
    return (reading.digits !== 0n || size.digits === 0n) && showsRounded(reading, size);
  });
}

/**
 * "1,234" may be a thousand or a decimal, depending on the language. "69" with "k" is 69 thousand at that
 * precision.
 */
function readingsOf(digits: string, short?: string): Decimal[] {
  const zeros = short === undefined ? 0 : (ZEROS.find(([word]) => word.test(short))?.[1] ?? 0);
  const bare = digits.replace(/['’\s\u00a0\u2009\u202f]/g, '');
  const comma = bare.lastIndexOf(',');
  const point = bare.lastIndexOf('.');
  const texts = new Set<string>();
  if (comma >= 0 && point >= 0) {
    texts.add(comma > point ? bare.replaceAll('.', '').replace(',', '.') : bare.replaceAll(',', ''));
  } else if (comma >= 0) {
    if (/^\d{1,3}(,\d{3})+$/.test(bare)) texts.add(bare.replaceAll(',', ''));
    if (/^\d+,\d+$/.test(bare)) texts.add(bare.replace(',', '.'));
  } else if (point >= 0) {
    if (/^\d+\.\d+$/.test(bare)) texts.add(bare);
    if (/^\d{1,3}(\.\d{3})+$/.test(bare)) texts.add(bare.replaceAll('.', ''));
  } else {
    texts.add(bare);
  }
  return [...texts].flatMap((text) => decimal(text) ?? []).map(({ digits: value, scale }) => ({ digits: value, scale: scale - zeros }));
}

/** Digits without insignificant zeros: 12.50 equals 12.5. */
function plain({ digits, scale }: Decimal): string {
  let [value, places] = scale < 0 ? [digits * 10n ** BigInt(-scale), 0] : [digits, scale];
  while (places > 0 && value % 10n === 0n) [value, places] = [value / 10n, places - 1];
  return `${value}e-${places}`;
}

function unitOf(sign: string | undefined): string | null {
  if (sign === undefined) return null;
  return sign === '%' ? '%' : (WORDS[sign] ?? currencyOf(sign));
}

function isWordBefore(text: string, start: number): boolean {
  return start > 0 && /[\p{L}\d]/u.test(text.charAt(start - 1));
}

/** Digits within a word, a date, a time or a version are no amount. */
function isPartOfWord(text: string, start: number, end: number, sign: string | undefined): boolean {
  const [last, next, second] = [text.charAt(start - 1), text.charAt(end), text.charAt(end + 1)];
  if (sign === undefined && /[\p{L}\d_.,:/#]/u.test(last)) return true;
  if (sign === undefined && /[-–]/.test(last) && /[\p{L}\d]/u.test(text.charAt(start - 2))) return true;
  if (/[\p{L}\d_]/u.test(next)) return true;
  return /[-:/.,–]/.test(next) && /\d/.test(second);
}
