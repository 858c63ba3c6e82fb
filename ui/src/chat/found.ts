/** Occurrences of the words in the text of `root`, in order; also across element borders within a line. */
export function found(root: HTMLElement, words: string): Range[] {
  const sought = fold(words.trim());
  if (sought === '') return [];
  const ranges: Range[] = [];
  for (const texts of lines(root)) {
    const whole = fold(texts.map(({ data }) => data).join(''));
    // Lower-casing that changes a string's length would shift the following matches: such a line is skipped.
    if (whole.length !== texts.reduce((sum, { length }) => sum + length, 0)) continue;
    for (let at = whole.indexOf(sought); at >= 0; at = whole.indexOf(sought, at + sought.length)) {
      const range = document.createRange();
      const [start, end] = [placeOf(texts, at), placeOf(texts, at + sought.length, true)];
      range.setStart(start.node, start.offset);
      range.setEnd(end.node, end.offset);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Expands what hides the match, and returns what was expanded. */
export function unfold(range: Range): HTMLDetailsElement[] {
  const opened: HTMLDetailsElement[] = [];
  for (let around = range.startContainer.parentElement; around; around = around.parentElement) {
    if (!(around instanceof HTMLDetailsElement) || around.open) continue;
    around.open = true;
    opened.push(around);
  }
  return opened;
}

/** Scrolls the match to the middle. */
export function bringIntoView(range: Range): void {
  const element = range.startContainer.parentElement;
  element?.scrollIntoView({ block: 'center' });
  // It may be a line of a long text that scrolls itself.
  for (let around = element; around; around = around.parentElement) if (scrolls(around)) centre(range, around);
}

function scrolls(element: Element): boolean {
  return element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY);
}

function centre(range: Range, around: Element): void {
  const [its, frame] = [range.getBoundingClientRect(), around.getBoundingClientRect()];
  // Content that was never visible may not be laid out yet.
  if (its.height > 0) around.scrollTop += (its.top + its.bottom - frame.top - frame.bottom) / 2;
}

const BLOCK = 'p, li, h1, h2, h3, h4, h5, h6, pre, td, th, blockquote, div, section, article, dd, dt';
/** Screen reader text, sources of rendered formulas, and initial values of fields. */
const UNSEEN = '.sr-only, .katex-mathml, [hidden], textarea, script, style';

/** Text nodes grouped by block. */
function lines(root: HTMLElement): Text[][] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const all: Text[][] = [];
  let block: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const around = node.parentElement;
    if (!around || around.closest(UNSEEN)) continue;
    const its = around.closest(BLOCK);
    if (its !== block || all.length === 0) all.push([]);
    block = its;
    all.at(-1)?.push(node as Text);
  }
  return all;
}

function placeOf(texts: readonly Text[], at: number, end = false): { node: Text; offset: number } {
  let before = 0;
  for (const node of texts) {
    if (at < before + node.length || (end && at === before + node.length)) return { node, offset: at - before };
    before += node.length;
  }
  const node = texts.at(-1) ?? new Text();
  return { node, offset: node.length };
}

function fold(text: string): string {
  return text.toLowerCase();
}
