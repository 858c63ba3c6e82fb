// Texts about the derivation of a figure.

import type { FigureView, SourceView } from '../../ipc';
import { unitText } from '../amount';
import { counted, noteName, whenText } from '../format';

/** A figure with its output. */
export interface Figure {
  readonly view: FigureView;
  /** The `skill.tool` that computed it. */
  readonly tool: string;
  /** Its sources; those of the whole output if it names none. */
  readonly sources: readonly SourceView[];
}

/** The figures of an output, in order. */
export function figuresOf(tool: string, figures: readonly FigureView[], sources: readonly SourceView[]): Figure[] {
  return figures.map((view) => ({
    view,
    tool,
    sources: view.sources.length === 0 ? sources : view.sources.flatMap((place) => sources[place] ?? []),
  }));
}

/** Distinct paths of the notes. */
export function notesOf({ sources }: Figure): string[] {
  return [...new Set(sources.flatMap((source) => (source.kind === 'note' ? [source.path] : [])))];
}

/** The chip's word: a warning, else "6 notes", else "how" if there is a derivation. */
export function chipWord(figure: Figure): string {
  if (figure.view.caution) return figure.view.caution;
  const ownNotes = figure.view.sources.length > 0 && figure.sources.every(({ kind }) => kind === 'note');
  if (!ownNotes && figure.view.parts.length > 0) return 'how';
  const notes = notesOf(figure);
  if (notes.length > 0) return counted(notes.length, 'note');
  return figure.sources.length > 0 ? counted(figure.sources.length, 'source') : 'how';
}

/** Web sources, one line per host: "5 answers from stooq.com", with the oldest time. */
export function webLines(sources: readonly SourceView[], now: Date): { readonly host: string; readonly line: string; readonly when: string }[] {
  const hosts = new Map<string, string[]>();
  for (const source of sources) {
    if (source.kind !== 'web') continue;
    const host = hostOf(source.url);
    hosts.set(host, [...(hosts.get(host) ?? []), source.at]);
  }
  return [...hosts].map(([host, times]) => ({
    host,
    line: `${counted(times.length, 'answer')} from ${host}`,
    when: whenText(times.toSorted()[0] ?? '', now),
  }));
}

/** The figure as text to paste elsewhere, with all its sources. */
export function copyText(figure: Figure, now: Date): string {
  const { view } = figure;
  const lines = [
    `${view.label}: ${unitText(view.value, view.unit)}`,
    ...(view.formula ? [view.formula] : []),
    ...view.parts.map((part) => `- ${part.label}: ${unitText(part.value, part.unit)}${part.caution ? ` (${part.caution})` : ''}`),
    ...(view.caution ? [`Caution: ${view.caution}`] : []),
    `Computed by ${figure.tool}`,
    ...notesOf(figure).map((path) => `Source: [[${noteName(path).name}]] (${path})`),
    ...figure.sources.flatMap((source) => (source.kind === 'web' ? [`Source: ${source.url}, ${whenText(source.at, now)}`] : [])),
  ];
  return lines.join('\n');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
