import type { JsonValue, PanelFormat } from '../../ipc';
import { Badge, clockTime, LinkButton, noteName } from '../../shared';
import { signOf } from '../../shared/decimal';
import { amountsOf } from '../../shared/amount';
import { useClock } from '../../shared/useClock';
import { useApp } from '../../state/hooks';
import { textOf, type Row } from './answer';
import { usePanel } from './context';
import { valueText, weekdayText } from './words';

/** Duration of a change mark, ms. */
const FRESH = 60_000;

interface CellProps {
  readonly value: JsonValue | undefined;
  readonly format: PanelFormat;
  /** Currency of a bare amount; empty to write none. */
  readonly unit: string;
  readonly row: Row;
}

/** A value in its format. */
export function Cell({ value, format, unit, row }: CellProps) {
  const { today, openNote } = usePanel();
  // A transfer between the user's own accounts is neither income nor expense.
  const text = valueText(value, format === 'signed' && row['kind'] === 'transfer' ? 'money' : format, unit, today);
  if (text === '') return format === 'change' || format === 'gain' ? <span className="text-fg-3">unknown</span> : null;
  switch (format) {
    case 'gain':
    case 'change':
      return <span className={`whitespace-nowrap ${tones[signOf(amountsOf(value)[0]?.amount ?? '')]}`}>{text}</span>;
    case 'age':
      return <Age text={text} stale={row['stale']} />;
    case 'note': {
      const target = linkIn(value);
      return (
        <LinkButton className="cut max-w-full font-normal" onClick={() => openNote(target)}>
          {noteName(text).name}
        </LinkButton>
      );
    }
    case 'tags':
      return (
        <span className="flex flex-wrap gap-1">
          {(Array.isArray(value) ? value : [value ?? null]).map((tag, at) => (
            <Badge key={at}>{textOf(tag)}</Badge>
          ))}
        </span>
      );
    case 'bar':
      return <Bar share={Number(textOf(value))} text={text} />;
    case 'number':
    case 'money':
    case 'signed':
    case 'percent':
      return <span className="whitespace-nowrap">{text}</span>;
    case 'date':
      return <span className="tabular whitespace-nowrap">{weekdayText(textOf(value), today)}</span>;
    case 'text':
      return text;
  }
}

const tones = { [-1]: 'text-danger', [0]: '', [1]: 'text-ok' };

function Age({ text, stale }: { text: string; stale: JsonValue | undefined }) {
  const old = stale === true || (typeof stale === 'string' && stale !== '');
  if (!old) return <span className="whitespace-nowrap text-fg-2">{text}</span>;
  const bad = stale === 'very_old';
  return (
    <Badge tone={bad ? 'danger' : 'warn'} icon={bad ? 'warn' : 'clock'}>
      {text}
    </Badge>
  );
}

/** Percentage; above 100 a full red bar. */
function Bar({ share, text }: { share: number; text: string }) {
  const width = Math.min(100, Math.max(0, Number.isNaN(share) ? 0 : share));
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="h-1.5 min-w-16 flex-1 overflow-hidden rounded-full bg-selected">
        <span
          className={`block h-full origin-left ${share > 100 ? 'bg-danger' : 'bg-c1'}`}
          style={{ transform: `scaleX(${width / 100})` }}
        />
      </span>
      <span className="tabular w-12 text-right">{text}</span>
    </span>
  );
}

/** "changed 14:32", for a minute after an outside change. */
export function ChangedMark({ path }: { path: string | null }) {
  const change = useApp((app) => (path === null ? undefined : app.noteChanges[path]));
  const outside = change?.by === 'outside';
  const now = useClock(outside);
  if (!outside || now - Date.parse(change.at) >= FRESH) return null;
  return (
    <span className="text-meta whitespace-nowrap text-fg-3" data-tip={change.summary ?? undefined}>
      changed {clockTime(change.at)}
    </span>
  );
}

/** A row's title: opens its note if it has one. */
export function RowTitle({ title, path, className = '' }: { title: string; path: string | null; className?: string }) {
  const { openNote } = usePanel();
  if (path === null) return <span className={`cut ${className}`}>{title}</span>;
  return (
    <button
      type="button"
      data-row-title
      data-tip={path}
      className={`cut max-w-full rounded-badge text-left hover:underline ${className}`}
      onClick={() => openNote(path)}
    >
      {title}
    </button>
  );
}

function linkIn(value: JsonValue | undefined): string {
  const text = typeof value === 'string' ? value : textOf(value);
  return /^\[\[([^\]|#]+)/.exec(text)?.[1] ?? text;
}
