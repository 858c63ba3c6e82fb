// Formats amounts: "€1,284.60", "+€7,501.55", "−0.42 %".

import type { JsonValue } from '../ipc';

export interface Amount {
  /** A decimal. */
  readonly amount: string;
  /** A currency code; empty if unknown. */
  readonly currency: string;
}

const signs: Record<string, string> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥' };

/** The currency code for a sign, or the code itself. */
export function currencyOf(sign: string): string | null {
  const known = Object.entries(signs).find(([, one]) => one === sign);
  return known?.[0] ?? (/^[A-Z]{3}$/.test(sign) ? sign : null);
}

/** "12654.00" → "12,654.00", "-5" → "−5". Other text is unchanged. */
export function numberText(value: string, signed = false): string {
  const parts = /^([+\-−]?)(\d+)(\.\d+)?$/.exec(value.trim());
  if (!parts) return value;
  return signText(parts[1], value, signed) + grouped(parts);
}

/** "1284.6", "EUR" → "€1,284.6"; a currency without a sign precedes the amount: "CHF 20". */
export function moneyText({ amount, currency }: Amount, signed = false): string {
  const parts = /^([+\-−]?)(\d+)(\.\d+)?$/.exec(amount.trim());
  if (!parts) return currency === '' ? amount : `${amount} ${currency}`;
  const unit = currency === '' ? '' : (signs[currency] ?? `${currency} `);
  return signText(parts[1], amount, signed) + unit + grouped(parts);
}

/** "11.4" → "11.4 %" */
export function percentText(value: string, signed = false): string {
  return `${numberText(value, signed)} %`;
}

/** A value with a figure's unit: a currency code, `%`, or none. */
export function unitText(value: string, unit: string, signed = false): string {
  if (unit === '%') return percentText(value, signed);
  return unit === '' ? numberText(value, signed) : moneyText({ amount: value, currency: unit }, signed);
}

/** "137900" → "138k", only for axis labels. */
export function roughly(value: number): string {
  const size = Math.abs(value);
  const [by, word] = size >= 1e9 ? [1e9, 'bn'] : size >= 1e6 ? [1e6, 'm'] : size >= 1e4 ? [1e3, 'k'] : [1, ''];
  const text = String(Number((size / by).toPrecision(4)));
  return `${value < 0 ? '−' : ''}${by === 1 ? numberText(text) : text}${word}`;
}

/** The amounts of a value: a string or number with its currency, or a list of `{amount, currency}`. */
export function amountsOf(value: JsonValue | undefined, currency = ''): Amount[] {
  if (typeof value === 'string' || typeof value === 'number') return value === '' ? [] : [{ amount: String(value), currency }];
  if (Array.isArray(value)) return value.flatMap((one) => amountsOf(one, currency));
  if (typeof value === 'object' && value !== null) {
    const { amount, currency: own } = value;
    return amountsOf(amount, typeof own === 'string' ? own : currency);
  }
  return [];
}

function signText(sign: string | undefined, value: string, signed: boolean): string {
  if (sign === '-' || sign === '−') return '−';
  return signed && /[1-9]/.test(value) ? '+' : '';
}

function grouped([, , whole = '', fraction = '']: readonly (string | undefined)[]): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + fraction;
}
