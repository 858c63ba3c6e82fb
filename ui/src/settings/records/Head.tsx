import { Button, clockTime, counted, Icon, IconButton, Segments, skillIcon } from '../../shared';
import type { RecordsPageState } from './useRecordsPage';

interface HeadProps {
  readonly skill: string;
  readonly name: string;
  readonly type: string;
  readonly state: RecordsPageState;
  readonly wide: boolean;
  readonly onType: (type: string) => void;
  readonly onNew: () => void;
  readonly onClose: () => void;
}

export function Head({ skill, name, type, state, wide, onType, onNew, onClose }: HeadProps) {
  const { page } = state.draft;
  const types = (page?.types ?? []).map(({ record_type, label, notes }) => ({
    value: record_type,
    label: notes === 0 ? `${label}, none found` : `${label} ${notes}`,
  }));
  return (
    <header className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
      {wide ? (
        <button type="button" onClick={onClose} className="-ml-1 flex items-center gap-1.5 rounded-control px-1 text-ui text-fg-2 hover:text-fg">
          <Icon name="chevron-left" /> Skills
        </button>
      ) : (
        <IconButton icon="chevron-left" label={`Back to ${name}`} className="-ml-2" onClick={onClose} />
      )}
      {wide && (
        <span className="flex items-center gap-1.5 text-ui text-fg-2">
          <Icon name={skillIcon(skill)} size={14} /> {name} <Icon name="chevron-right" size={12} className="text-fg-3" />
        </span>
      )}
      <h1 ref={begin} tabIndex={-1} className="text-body font-semibold outline-none">
        Records
      </h1>
      {types.length > 1 && (
        <div className="min-w-0 overflow-x-auto">
          <Segments label="Record type" value={type} onChange={onType} options={types} />
        </div>
      )}
      <IconButton icon="plus" label="New record type" data-testid="new-record-type" onClick={onNew} />
      <span className="flex-1" />
      {wide && page !== null && state.readAt !== null && (
        <span className="cut text-small text-fg-3">
          {counted(page.read, 'note')} read at {clockTime(state.readAt)}
        </span>
      )}
      <Button icon="refresh" onClick={state.readAgain}>
        Read again
      </Button>
    </header>
  );
}

/** The button that led here is gone: move the focus to the heading. */
function begin(heading: HTMLElement | null): void {
  if (document.activeElement === document.body) heading?.focus();
}
