// The file and its detected format; before a choice, the drop area.

import { Button, counted, Icon } from '../../shared';
import { dayOf } from './words';
import type { Review } from './review';
import type { Importing } from './useImport';

export function FileBox({ importing }: { importing: Importing }) {
  const { state, waiting } = importing;
  const { file, review } = state;
  if (file === null) return <Choose importing={importing} />;
  return (
    <section aria-label="File" className="rounded-card border border-line px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon name="note" className="text-fg-2" />
        <span className="selectable font-medium">{file.name}</span>
        <span className="cut min-w-0 flex-1 text-small text-fg-2">{aboutFile(file.folder, review, importing.words.entry)}</span>
        <span className="text-small text-fg-2 max-medium:hidden">or drop one here</span>
        <Button disabled={state.run?.kind === 'importing'} onClick={importing.choose}>
          Choose another…
        </Button>
      </div>
      {review !== null && <Recognised review={review} />}
      {waiting !== null && (
        <div role="alert" data-testid="second-file" className="mt-2 flex flex-wrap items-center gap-2 rounded-card bg-warn-soft px-2.5 py-1.5 text-small">
          <span className="flex-1">
            {state.run?.kind === 'importing' ? `${waiting.name} can be imported after this one.` : `Import ${waiting.name} instead? Your answers are for ${file.name}.`}
          </span>
          {state.run?.kind !== 'importing' && (
            <Button size="s" onClick={() => importing.settle(true)}>
              Use {waiting.name}
            </Button>
          )}
          <Button size="s" variant="quiet" onClick={() => importing.settle(false)}>
            Keep {file.name}
          </Button>
        </div>
      )}
    </section>
  );
}

function Choose({ importing }: { importing: Importing }) {
  return (
    <section aria-label="File" className="rounded-card border border-line p-3.5">
      <div className="flex flex-col items-center gap-2 rounded-card border border-dashed border-line-control px-6 py-7 text-center">
        <Icon name="import" />
        <p className="font-medium">{importing.words.drop}</p>
        <p className="text-small text-fg-2">CSV, from any folder. It is read where it is, nothing is copied.</p>
        <Button autoFocus className="mt-1" onClick={importing.choose}>
          Choose file…
        </Button>
      </div>
    </section>
  );
}

/** "~/Downloads, 44 entries, 2 Oct to 20 Nov" */
function aboutFile(folder: string | null, review: Review | null, [one, many]: readonly [string, string]): string {
  const days = review?.from && review.to ? `${dayOf(review.from)} to ${dayOf(review.to)}` : null;
  return [folder, review && counted(review.rows, one, many), days].filter((part) => part !== null).join(', ');
}

function Recognised({ review }: { review: Review }) {
  const { decimal, date_format: format } = review.mapping;
  const found = [
    review.bank,
    typeof format === 'string' ? format : null,
    typeof decimal !== 'string' ? null : decimal === ',' ? 'decimal comma, 1.234,56' : 'decimal point, 1,234.56',
    review.currency,
    review.encoding,
  ].filter((one) => one !== null);
  return (
    <ul aria-label="Recognised" className="mt-1.5 flex flex-wrap items-center gap-1.5 pl-6 text-small">
      <li aria-hidden="true" className="text-fg-2">
        Recognised
      </li>
      {found.map((one) => (
        <li key={one} className="flex h-5.5 items-center gap-1.5 rounded-badge bg-surface-sunken px-2">
          <Icon name="check" size={12} className="text-ok" />
          {one}
        </li>
      ))}
    </ul>
  );
}
