// Formats times and numbers: digits, "Tue 24 Nov", 24 hours.

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** RFC 3339 → "14:32" in the user's zone. */
export function clockTime(at: string): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** RFC 3339 → "14:32" today, else "Tue 24 Nov", with the year if not the current one. */
export function whenText(at: string, now: Date = new Date()): string {
  const date = new Date(at);
  return date.toDateString() === now.toDateString() ? clockTime(at) : dayText(date, now);
}

/** "Tue 24 Nov", "24 Nov 2025" in another year. */
export function dayText(date: Date, now: Date = new Date()): string {
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return date.getFullYear() === now.getFullYear() ? `${weekdays[date.getDay()]} ${day}` : `${day} ${date.getFullYear()}`;
}

/** "24 Nov", "24 Nov 2025" in another year. */
export function dateText(date: Date, now: Date = new Date()): string {
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return date.getFullYear() === now.getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** 22 → "22 ms", 2100 → "2.1 s", 95000 → "1 min 35 s" */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** 31000 → "0:31" */
export function runningText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

/** 1412 → "1,412" */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 11800 → "11.8k", 32000 → "32k", 940 → "940" */
export function tokens(value: number): string {
  if (value < 1000) return String(value);
  return `${(value / 1000).toFixed(1).replace(/\.0$/, '')}k`;
}

/** (1, "note") → "1 note", (2, "note") → "2 notes" */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** "CRM/People/Mara Lindholt.md" → name "Mara Lindholt", folder "CRM/People" */
export function noteName(path: string): { name: string; folder: string } {
  const at = path.lastIndexOf('/');
  return { name: path.slice(at + 1).replace(/\.md$/, ''), folder: at < 0 ? '' : path.slice(0, at) };
}

/**
 * Whether the file is a note: only notes open in the window and, by name, in Obsidian. A file outside of the
 * vault has an absolute path.
 */
export function isNote(path: string): boolean {
  return /\.md$/i.test(path) && !/^(\/|[A-Z]:\\)/i.test(path);
}

/** "ollama/qwen3:14b" → "qwen3:14b" */
export function modelName(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Adds a full stop unless the text ends with punctuation. */
export function asSentence(text: string): string {
  return /[.!?:…]$/.test(text) ? text : `${text}.`;
}
