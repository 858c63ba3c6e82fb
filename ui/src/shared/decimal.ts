// Arithmetic on decimal strings, without the rounding of JavaScript numbers.

export interface Decimal {
  /** The value times 10 to the power of `scale`. */
  readonly digits: bigint;
  /** Negative for values known to thousands, for example. */
  readonly scale: number;
}

/** "1284.60" → 128460 at scale 2. Null for anything but a plain decimal. */
export function decimal(text: string): Decimal | null {
  const parts = /^([+\-−]?)(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (!parts) return null;
  const [, sign = '', whole = '', fraction = ''] = parts;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' || sign === '−' ? -digits : digits, scale: fraction.length };
}

/** "1.5" and "-0.25" → "1.25". Null if either is invalid. */
export function plus(a: string, b: string): string | null {
  const one = decimal(a);
  const other = decimal(b);
  if (one === null || other === null) return null;
  const scale = Math.max(one.scale, other.scale);
  return written({ digits: at(one, scale) + at(other, scale), scale });
}

export function negated(text: string): string {
  const value = decimal(text);
  return value === null ? text : written({ ...value, digits: -value.digits });
}

/** Negative, zero or positive: -1, 0, 1. */
export function signOf(text: string): -1 | 0 | 1 {
  const digits = decimal(text)?.digits ?? 0n;
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = at(a, scale) - at(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Whether `shown` equals `exact`, or `exact` rounded to the decimals of `shown`. */
export function showsRounded(shown: Decimal, exact: Decimal): boolean {
  const scale = Math.max(shown.scale, exact.scale);
  const distance = at(shown, scale) - at(exact, scale);
  const unit = 10n ** BigInt(scale - shown.scale);
  return (distance < 0n ? -distance : distance) * 2n <= (shown.scale < exact.scale ? unit : 0n);
}

/** The digits at a larger scale; `wanted` must not be below its own. */
function at({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

function written({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return scale === 0 ? sign + all : `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`;
}
