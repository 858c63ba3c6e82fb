// Converts selected parts of the conversation to Markdown: code, formulas in their source form, table rows as
// lines.

import { languageOf } from '../shared/rich/code';

/** The selection with `> ` before each line; empty if nothing of it can be quoted. */
export function quotation(range: Range): string {
  return markdownOf(range)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/**
 * Elements that are not text: controls, fields, collapsed content and screen reader text. The page makes them
 * unselectable.
 */
const UNQUOTED =
  'button, summary, details:not([open]) > :not(summary), textarea, select, .select-none, .nova-code-bar, .nova-figure-word, .sr-only, script, style';
const QUOTED = '.selectable';
/** Their line breaks are kept. */
const AS_WRITTEN = '.whitespace-pre-wrap';
const PARAGRAPH = 'p, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, article, [data-item], [data-footnote]';
const BLOCK = 'div, section, li, dl, dt, dd, details, header, footer, form';

/** The context of written text. */
interface Place {
  readonly lines: Lines;
  /** Prefix of each line, for list items and nested quotations. */
  readonly indent: string;
  /** Within a list or a table, which empty lines would split. */
  readonly inItem: boolean;
}

function markdownOf(range: Range): string[] {
  const common = range.commonAncestorContainer;
  const around = common instanceof Element ? common : common.parentElement;
  if (!around || around.closest(UNQUOTED)) return [];
  const lines = emptyLines();
  // Any part of a formula or code block is quoted as a whole.
  write(around.closest('.math') ?? around.closest('pre') ?? common, { lines, indent: '', inItem: false });
  return lines.done();

  function write(node: Node, place: Place): void {
    if (!range.intersectsNode(node)) return;
    if (node instanceof Text) return writeText(node, place);
    if (!(node instanceof HTMLElement) || node.matches(UNQUOTED)) return;
    // In a card's table only cells can be selected.
    if (node.tagName === 'TR') return writeRow(node, place);
    if (node.closest(QUOTED) && writeSign(node, place)) return;
    const gap = gapAround(node, place);
    place.lines.gap(gap);
    const inside = placeIn(node, place);
    node.childNodes.forEach((child) => write(child, inside));
    place.lines.gap(gap);
  }

  /** Writes elements that are more than their text. Returns whether it did. */
  function writeSign(element: HTMLElement, place: Place): boolean {
    if (element.matches('.math')) writeFormula(element, place);
    else if (element.matches('a[data-footnote-ref]')) place.lines.text(selected(element) && `[^${selected(element)}]`, place);
    else if (element.tagName === 'PRE') writeCode(element, place);
    else if (element.tagName === 'BR') place.lines.gap(1);
    else if (element.tagName === 'HR') writeWhole(['---'], place);
    else if (element.matches('input[type=checkbox]')) place.lines.text((element as HTMLInputElement).checked ? '[x] ' : '[ ] ', place);
    // A footnote's number, before its text.
    else return element.matches('[data-footnote] > sup');
    return true;
  }

  function writeText(node: Text, place: Place): void {
    const around = node.parentElement;
    if (!around?.closest(QUOTED)) return;
    const text = clipped(node);
    if (!around.closest(AS_WRITTEN)) return place.lines.text(text.replaceAll(/[ \t\r\n]+/g, ' '), place);
    text.split('\n').forEach((line, at) => {
      if (at > 0) place.lines.gap(line.trim() === '' ? 2 : 1);
      place.lines.text(line, place, line.trim() !== '');
    });
  }

  /** Writes the whole source: letters of a rendered formula make no sense in text order. */
  function writeFormula(element: HTMLElement, place: Place): void {
    if (selected(element) === '') return;
    const tex = (element.dataset['set'] === undefined ? (element.textContent ?? '') : (element.dataset['tip'] ?? '')).trim();
    if (!element.classList.contains('math-display')) place.lines.text(`$${tex}$`, place);
    else writeWhole(tex.includes('\n') ? ['$$', ...tex.split('\n'), '$$'] : [`$$${tex}$$`], place);
  }

  function writeCode(pre: HTMLElement, place: Place): void {
    const code = textsIn(pre).map(clipped).join('').replace(/^(\s*\n)+/, '').trimEnd();
    if (code === '') return;
    // Longer than any fence in the code.
    const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length + 1)));
    writeWhole([fence + (languageOf(pre.querySelector('code')) ?? ''), ...code.split('\n'), fence], place);
  }

  /** Writes lines separated from everything else. */
  function writeWhole(written: readonly string[], { lines, ...place }: Place): void {
    lines.gap(place.inItem ? 1 : 2);
    for (const line of written) {
      lines.text(line, place, true);
      lines.gap(1);
    }
    lines.gap(place.inItem ? 1 : 2);
  }

  function writeRow(row: HTMLElement, place: Place): void {
    const cells = [...row.children].filter((cell) => range.intersectsNode(cell));
    const texts = cells.map((cell) => {
      const lines = emptyLines();
      cell.childNodes.forEach((child) => write(child, { lines, indent: '', inItem: true }));
      return lines.done().join(' ');
    });
    // Omits a cell that only an end of the selection touches.
    const touched = (at: number) => texts[at] === '' && (cells[at]?.contains(range.startContainer) || cells[at]?.contains(range.endContainer));
    const kept = texts.filter((_, at) => !touched(at));
    if (kept.every((text) => text === '')) return;
    place.lines.gap(1);
    place.lines.text(kept.join(' | '), place);
    place.lines.gap(1);
  }

  function selected(element: Element): string {
    return textsIn(element).map(clipped).join('').trim();
  }

  /** The selected part of a text node. */
  function clipped(node: Text): string {
    if (!range.intersectsNode(node)) return '';
    const from = node === range.startContainer ? range.startOffset : 0;
    const to = node === range.endContainer ? range.endOffset : node.length;
    return node.data.slice(from, to);
  }
}

function gapAround(element: HTMLElement, { inItem }: Place): Gap {
  if (element.matches(PARAGRAPH)) return inItem ? 1 : 2;
  return element.matches(BLOCK) ? 1 : 0;
}

/** The context within an element: an item begins with its marker, and continues indented. */
function placeIn(element: HTMLElement, place: Place): Place {
  const { footnote } = element.dataset;
  const sign = element.tagName === 'LI' ? signOf(element) : footnote !== undefined ? `[^${footnote}]: ` : null;
  if (sign !== null) {
    place.lines.begin(place.indent + sign);
    return { ...place, indent: place.indent + ' '.repeat(sign.length), inItem: true };
  }
  return element.tagName === 'BLOCKQUOTE' ? { ...place, indent: `${place.indent}> ` } : place;
}

/** "- ", or the item's number. */
function signOf(item: HTMLElement): string {
  const list = item.parentElement;
  if (!(list instanceof HTMLOListElement)) return '- ';
  return `${list.start + [...list.children].indexOf(item)}. `;
}

function textsIn(root: Element): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node as Text);
  return texts;
}

/** Separator between two texts: none, a line break, an empty line. */
type Gap = 0 | 1 | 2;

interface Lines {
  gap(gap: Gap): void;
  /** Starts the next line with this instead of its indent. */
  begin(sign: string): void;
  /** `kept` preserves leading and trailing spaces. */
  text(text: string, place: Pick<Place, 'indent'>, kept?: boolean): void;
  done(): string[];
}

function emptyLines(): Lines {
  const lines: { readonly indent: string; text: string }[] = [];
  let gap: Gap = 0;
  let sign: string | null = null;
  return {
    gap: (more) => {
      if (more > gap) gap = more;
    },
    begin: (next) => {
      sign = next;
    },
    text: (text, { indent }, kept = false) => {
      const last = lines.at(-1);
      const goesOn = last !== undefined && gap === 0 && sign === null;
      if (text.trim() === '' && !kept) {
        if (goesOn && text !== '' && !last.text.endsWith(' ')) last.text += ' ';
      } else if (goesOn) {
        last.text += last.text.endsWith(' ') ? text.trimStart() : text;
      } else {
        if (last && gap === 2) lines.push({ indent: '', text: common(last.indent, indent) });
        lines.push({ indent, text: (sign ?? indent) + (kept ? text : text.trimStart()) });
        gap = 0;
        sign = null;
      }
    },
    done: () => lines.map(({ text }) => text.trimEnd()),
  };
}

/** The common prefix. */
function common(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}
