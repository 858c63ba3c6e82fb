// What is selected of the conversation, as Markdown: code as code, formulas as they were written, rows as lines.

import { languageOf } from '../shared/rich/code';

/** The selection as a quotation, `> ` before each of its lines; empty where nothing of it can be quoted. */
export function quotation(range: Range): string {
  return markdownOf(range)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** What is no part of the words: pressed, filled in, folded away, or for a screen reader only. The page does not select it. */
const UNQUOTED =
  'button, summary, details:not([open]) > :not(summary), textarea, select, .select-none, .nova-code-bar, .nova-figure-word, .sr-only, script, style';
const QUOTED = '.selectable';
/** Their lines are as they were written. */
const AS_WRITTEN = '.whitespace-pre-wrap';
const PARAGRAPH = 'p, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, article, [data-item], [data-footnote]';
const BLOCK = 'div, section, li, dl, dt, dd, details, header, footer, form';

/** Where text goes. */
interface Place {
  readonly lines: Lines;
  /** Before each line: of a list's items, of a quotation that is quoted. */
  readonly indent: string;
  /** Of a list or a table, which empty lines would pull apart. */
  readonly inItem: boolean;
}

function markdownOf(range: Range): string[] {
  const common = range.commonAncestorContainer;
  const around = common instanceof Element ? common : common.parentElement;
  if (!around || around.closest(UNQUOTED)) return [];
  const lines = emptyLines();
  // A part of a formula or of code is a part of that, however small.
  write(around.closest('.math') ?? around.closest('pre') ?? common, { lines, indent: '', inItem: false });
  return lines.done();

  function write(node: Node, place: Place): void {
    if (!range.intersectsNode(node)) return;
    if (node instanceof Text) return writeText(node, place);
    if (!(node instanceof HTMLElement) || node.matches(UNQUOTED)) return;
    // Of a card's table only the cells can be selected.
    if (node.tagName === 'TR') return writeRow(node, place);
    if (node.closest(QUOTED) && writeSign(node, place)) return;
    const gap = gapAround(node, place);
    place.lines.gap(gap);
    const inside = placeIn(node, place);
    node.childNodes.forEach((child) => write(child, inside));
    place.lines.gap(gap);
  }

  /** What is more than the text in it; whether it was. */
  function writeSign(element: HTMLElement, place: Place): boolean {
    if (element.matches('.math')) writeFormula(element, place);
    else if (element.matches('a[data-footnote-ref]')) place.lines.text(selected(element) && `[^${selected(element)}]`, place);
    else if (element.tagName === 'PRE') writeCode(element, place);
    else if (element.tagName === 'BR') place.lines.gap(1);
    else if (element.tagName === 'HR') writeWhole(['---'], place);
    else if (element.matches('input[type=checkbox]')) place.lines.text((element as HTMLInputElement).checked ? '[x] ' : '[ ] ', place);
    // The number of a footnote, before its text.
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

  /** Whole, as it was written: the letters of one that is set say nothing in their order. */
  function writeFormula(element: HTMLElement, place: Place): void {
    if (selected(element) === '') return;
    const tex = (element.dataset['set'] === undefined ? (element.textContent ?? '') : (element.dataset['tip'] ?? '')).trim();
    if (!element.classList.contains('math-display')) place.lines.text(`$${tex}$`, place);
    else writeWhole(tex.includes('\n') ? ['$$', ...tex.split('\n'), '$$'] : [`$$${tex}$$`], place);
  }

  function writeCode(pre: HTMLElement, place: Place): void {
    const code = textsIn(pre).map(clipped).join('').replace(/^(\s*\n)+/, '').trimEnd();
    if (code === '') return;
    // Longer than any in the code.
    const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length + 1)));
    writeWhole([fence + (languageOf(pre.querySelector('code')) ?? ''), ...code.split('\n'), fence], place);
  }

  /** Lines that nothing else stands on. */
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
    // A cell that the selection only touches with one of its ends.
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

  /** What of a text is selected. */
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

/** The place within an element: an item begins with its sign, and continues below that. */
function placeIn(element: HTMLElement, place: Place): Place {
  const { footnote } = element.dataset;
  const sign = element.tagName === 'LI' ? signOf(element) : footnote !== undefined ? `[^${footnote}]: ` : null;
  if (sign !== null) {
    place.lines.begin(place.indent + sign);
    return { ...place, indent: place.indent + ' '.repeat(sign.length), inItem: true };
  }
  return element.tagName === 'BLOCKQUOTE' ? { ...place, indent: `${place.indent}> ` } : place;
}

/** "- ", or the number that stands before it. */
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

/** What separates two pieces of text: nothing, the end of a line, an empty line. */
type Gap = 0 | 1 | 2;

interface Lines {
  gap(gap: Gap): void;
  /** The next line begins with this in place of its indent. */
  begin(sign: string): void;
  /** `kept`: also the blanks at its ends. */
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

/** What both begin with. */
function common(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}
