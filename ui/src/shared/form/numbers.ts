// Checks typed numbers without ever turning a decimal into a float.

interface Wrong {
  message: string;
  fix?: { label: string; draft: string };
}

interface Range {
  min?: number;
  max?: number;
}

const PLAIN = /^[+-]?\d+(\.\d+)?$/;

export function checkDecimal(text: string, range: Range = {}): Wrong | null {
  const typed = text.trim();
  if (PLAIN.test(typed)) return outside(typed, range);
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
  if (!isExact(typed)) return { message: 'It has too many digits to be sent exactly.', ...rounded(Number(typed)) };
  return outside(typed, rule);
}

/** Whether a typed number is still the same once it is a number of JavaScript, and so of JSON. */
export function isExact(typed: string): boolean {
  const sent = Number(typed);
  return Number.isFinite(sent) && valueOf(typed) === valueOf(String(sent));
}

/** Sign, digits without zeros at either end, and their exponent. */
function valueOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  const sign = number.startsWith('-') ? '-' : '';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

function rounded(number: number) {
  return Number.isFinite(number) ? { fix: fixTo(String(number)) } : {};
}

/** "1,234.50", "1.234,50", "12,5", "€ 40" → a plain decimal, where only one reading makes sense. */
function plainDecimal(text: string): string | null {
  const bare = text.replace(/^[€$£\s]+|[€$£\s]+$|(?<=\d)[\s'’](?=\d{3})/g, '');
  if (PLAIN.test(bare)) return bare;
  if (/^[+-]?\d{1,3}(,\d{3})+\.\d+$/.test(bare)) return bare.replaceAll(',', '');
  if (/^[+-]?\d{1,3}(\.\d{3})+,\d+$/.test(bare)) return bare.replaceAll('.', '').replace(',', '.');
  // "1,234" may be either; only a comma not followed by three digits is surely a decimal one.
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
