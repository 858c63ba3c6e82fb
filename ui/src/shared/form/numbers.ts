// Validates typed numbers without converting decimals to floats.

interface Wrong {
  message: string;
  fix?: { label: string; draft: string };
}

interface Range {
  min?: number;
  max?: number;
}

const PLAIN = /^[+-]?\d+(\.\d+)?$/;

/** `asNumber`: it is sent as a JSON number, with limited precision. */
export function checkDecimal(text: string, { asNumber = false, ...range }: Range & { asNumber?: boolean } = {}): Wrong | null {
  const typed = text.trim();
  if (PLAIN.test(typed)) return (asNumber ? inexact(typed, PLAIN) : null) ?? outside(typed, range);
  const plain = plainDecimal(typed);
  if (plain !== null) return { message: 'Write a plain number.', fix: fixTo(plain) };
  return { message: 'Write a plain number, like 1250.50' };
}

export function checkNumber(text: string, rule: Range & { whole: boolean }): Wrong | null {
  const typed = text.trim();
  const wrong = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) ? null : checkDecimal(typed);
  if (wrong !== null)
    return rule.whole && wrong.fix === undefined ? { message: 'Write a whole number, like 20' } : wrong;
  if (rule.whole && !Number.isInteger(Number(typed)))
    return { message: 'Write a whole number.', fix: fixTo(String(Math.trunc(Number(typed)))) };
  return inexact(typed) ?? outside(typed, rule);
}

/** Why JSON text cannot be sent unchanged: one of its numbers would be rounded. */
export function checkJsonNumbers(text: string): string | null {
  // Strings are matched as a whole, to skip numbers inside them.
  const parts = text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g);
  const wrong = [...parts].find(([part]) => !part.startsWith('"') && !isExact(part));
  return wrong === undefined ? null : `${wrong[0]} ${TOO_LONG}`;
}

const TOO_LONG = 'has too many digits to be sent exactly.';

/** `form`: the format that the field requires. */
function inexact(typed: string, form = /./): Wrong | null {
  if (isExact(typed)) return null;
  const near = Number(typed);
  const fix = Number.isFinite(near) && form.test(String(near)) ? { fix: fixTo(String(near)) } : {};
  return { message: `It ${TOO_LONG}`, ...fix };
}

/** Whether a typed number survives conversion to a JavaScript and JSON number. */
export function isExact(typed: string): boolean {
  const sent = Number(typed);
  return Number.isFinite(sent) && valueOf(typed) === valueOf(String(sent));
}

/** Sign, significant digits, and exponent. */
function valueOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const sign = number.startsWith('-') ? '-' : '';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** "1,234.50", "1.234,50", "12,5", "€ 40" → a plain decimal, if unambiguous. */
function plainDecimal(text: string): string | null {
  const bare = text.replace(/^[€$£\s]+|[€$£\s]+$|(?<=\d)[\s'’](?=\d{3})/g, '');
  if (PLAIN.test(bare)) return bare;
  if (/^[+-]?\d{1,3}(,\d{3})+\.\d+$/.test(bare)) return bare.replaceAll(',', '');
  if (/^[+-]?\d{1,3}(\.\d{3})+,\d+$/.test(bare)) return bare.replaceAll('.', '').replace(',', '.');
  // "1,234" is ambiguous; a comma is only certain to be decimal if not followed by three digits.
  if (/^[+-]?\d+,(\d{1,2}|\d{4,})$/.test(bare)) return bare.replace(',', '.');
  return null;
}

function outside(text: string, { min, max }: Range): Wrong | null {
  const number = Number(text);
  if (min !== undefined && number < min) return { message: `At least ${min}.`, fix: fixTo(String(min)) };
  if (max !== undefined && number > max) return { message: `At most ${max}.`, fix: fixTo(String(max)) };
  return null;
}

function fixTo(draft: string) {
  return { label: `Use ${draft}`, draft };
}
