// Tokens that skills add to every request, and remedies for a catalog that is too large.

import { nothing, type SkillRow } from '../ipc';
import { count, Icon, LinkButton, Menu, whenText } from '../shared';
import { useApp, useRpc } from '../state/hooks';
import { carried, hideable } from './skill-rows';
import { TokenBar } from './TokenBar';

export function RequestCost({ rows, onHide }: { rows: readonly SkillRow[]; onHide: (skill: string) => void }) {
  const revision = useApp(({ revisions }) => revisions.registry);
  const catalog = useRpc('skill_catalog', nothing, revision).data;
  const tokens = carried(rows, catalog?.tokens);
  if (rows.length === 0) return null;
  const parts = [
    { name: 'catalog', value: tokens.catalog, colour: 'bg-c1' },
    { name: 'instructions of always-on skills', value: tokens.instructions, colour: 'bg-c2' },
    { name: 'their schemas', value: tokens.schemas, colour: 'bg-c3' },
  ];
  return (
    <div className="px-4 pt-3.5 short:pt-2.5">
      {/* One line in every state: content below must not move under the pointer. */}
      <div className="flex h-5 items-center justify-between gap-3">
        <p className="cut min-w-0 text-ui font-medium">Skills add {count(tokens.all)} tokens to every request</p>
        {catalog && !catalog.shortened && (
          <p className="tabular shrink-0 text-small text-fg-3">
            catalog {count(catalog.tokens)} of {count(catalog.budget)}
          </p>
        )}
        {catalog?.shortened && (
          <p className="tabular flex shrink-0 items-center gap-1.5 text-small text-warn" data-testid="catalog-shortened">
            <Icon name="warn" size={14} />
            Catalog {count(catalog.whole)} of {count(catalog.budget)} tokens: descriptions are shortened.
            <HideOne rows={rows} onHide={onHide} />
          </p>
        )}
      </div>
      <TokenBar tokens={tokens} scale={Math.max(tokens.all, catalog?.context ?? 0)} className="mt-1.5 h-2 rounded-full bg-surface-sunken" />
      <ul className="mt-1.5 flex flex-wrap gap-x-4 text-meta text-fg-2">
        {parts.map(({ name, value, colour }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-[2px] ${colour}`} />
            {name} {count(value)}
          </li>
        ))}
        {catalog?.context != null && (
          <li className="tabular ml-auto text-fg-3" data-testid="share-of-context">
            {shareOf(tokens.all, catalog.context)} of {sizeText(catalog.context)}
          </li>
        )}
      </ul>
    </div>
  );
}

/** "16 %"; less than one percent is not shown as zero. */
function shareOf(part: number, whole: number): string {
  const percent = Math.round((part / whole) * 100);
  return percent === 0 && part > 0 ? 'under 1 %' : `${percent} %`;
}

/** "32k" */
function sizeText(tokens: number): string {
  return tokens < 1000 ? count(tokens) : `${count(Math.floor(tokens / 1000))}k`;
}

/** Least valuable lines come first. */
function HideOne({ rows, onHide }: { rows: readonly SkillRow[]; onHide: (skill: string) => void }) {
  const first = hideable(rows).slice(0, 8);
  if (first.length === 0) return null;
  return (
    <Menu
      align="end"
      groups={[
        {
          heading: 'Hide from the model',
          items: first.map(({ id, name, tokens, usage }) => ({
            label: name,
            note: `${count(tokens.catalog)} tokens, ${usage.last_used ? `last used ${whenText(usage.last_used)}` : 'never used'}`,
            onSelect: () => onHide(id),
            testId: 'hide-one',
          })),
        },
      ]}
      footer="You can still choose a hidden skill yourself."
    >
      <LinkButton>Hide a skill</LinkButton>
    </Menu>
  );
}
