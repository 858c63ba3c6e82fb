// Finds secrets in server configurations: JSON, TOML, a command line or `NAME=value` lines. Only for display;
// the backend decides what is stored as a secret.

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A name and the separator before its value, in any of these notations. */
const named = /(?<![\w.-]|\$\{)(-*[A-Za-z][\w.-]*)(?:["']?[^\S\n]*[:=]\s*|(?<=(?:^|[\s"'])-[\w.-]*)["']?(?:\s*,\s*|[^\S\n]+))/g;
const scheme = /^(?:bearer|basic|token)\s+/i;
/** Prefixes of some services' keys. */
const known = /(?<![\w-])(?:sk-|ghp_|gho_|github_pat_|xox[bp]-|AKIA|AIza|glpat-)[\w-]{6,}/g;

/**
 * The secrets in `text`, in order. `lines`: each line is `NAME=value`, so that a value ends with its line.
 */
export function secretsIn(text: string, lines = false): readonly Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(named)) {
    const [whole, name = ''] = match;
    if (match.index < (found.at(-1)?.to ?? 0) || !isSecretName(name)) continue;
    const span = valueAt(text, match.index + whole.length, lines);
    if (span) found.push(span);
  }
  for (const match of text.matchAll(known)) {
    const span = { from: match.index, to: match.index + match[0].length };
    if (found.every(({ from, to }) => span.to <= from || to <= span.from)) found.push(span);
  }
  return found.toSorted((one, other) => one.from - other.from);
}

/**
 * `text` with its secrets masked, character for character. The ends of a long one stay visible for
 * recognition.
 */
export function covered(text: string, { from, to }: Span): string {
  const secret = text.slice(from, to);
  const ends = secret.length >= 12 ? 3 : 0;
  const middle = secret.slice(ends, secret.length - ends).replace(/\S/g, '•');
  return secret.slice(0, ends) + middle + secret.slice(secret.length - ends);
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const whole = words.join('_');
  if (/token|secret|passw|passphrase|api_?key|authorization|credential/.test(whole)) return true;
  return ['key', 'pat', 'pass', 'pwd', 'auth', 'cookie'].includes(words.at(-1) ?? '');
}

function valueAt(text: string, start: number, lines: boolean): Span | null {
  const quote = /^["']/.exec(text.slice(start, start + 1))?.[0];
  const begin = start + (quote ? 1 : 0);
  const rest = text.slice(begin);
  const prefix = scheme.exec(rest)?.[0].length ?? 0;
  const from = begin + prefix;
  const until = quote ? quoted(quote) : lines ? /^[^\n]*/ : /^[^\s"',&{}[\]]*/;
  const value = (until.exec(rest.slice(prefix))?.[0] ?? '').trimEnd();
  const plain = value.replace(/\$\{[^}]*\}?/g, '').trim();
  const isSwitch = quote === undefined && /^(?:\d{1,8}|true|false|null)$/.test(plain);
  if (plain === '' || isSwitch || isPlaceholder(plain)) return null;
  return { from, to: from + value.length };
}

/** Up to the closing quote, skipping escaped ones. */
function quoted(quote: string): RegExp {
  return quote === '"' ? /^(?:[^"\\]|\\[^])*/ : /^[^']*/;
}

/** A placeholder in a manual for the user's own secret. */
function isPlaceholder(value: string): boolean {
  return /^<.*>?$|^your|^xxx|\.\.\.|…/i.test(value);
}
