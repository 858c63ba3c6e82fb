// The mapping of a skill's records to the vault: how notes are matched, the names of their properties, and a
// preview. Nothing takes effect before it is applied.

import { useEffect, useState, type ReactNode } from 'react';

import { ErrorBox, LinkButton, Loading, Segments, useMedia } from '../../shared';
import { faultsAt, leftOut, notUnderstood, usedRules, type Own } from './draft';
import { Footer } from './Footer';
import { Head } from './Head';
import { OwnFields } from './OwnFields';
import { Properties } from './Properties';
import { Result } from './Result';
import { Rules } from './Rules';
import { Faults } from './Section';
import { useRecordsPage, type RecordsPageState } from './useRecordsPage';

interface RecordsPageProps {
  readonly skill: string;
  /** The skill's display name. */
  readonly name: string;
  /** Name of the record type. */
  readonly type: string;
  /** The configuration of a type just defined. */
  readonly begun?: Own | null;
  readonly onType: (type: string) => void;
  /** Opens the page of a type, also of another skill. */
  readonly onOther: (skill: string, type: string) => void;
  /** Defines a custom type. */
  readonly onNew: () => void;
  readonly onClose: () => void;
}

type Tab = 'rules' | 'properties' | 'result';

export function RecordsPage({ skill, name, type, begun = null, onType, onOther, onNew, onClose }: RecordsPageProps) {
  const state = useRecordsPage(skill, type, begun);
  const { draft, say, error } = state;
  const wide = useMedia('(min-width: 1280px)');
  const [tab, setTab] = useState<Tab>('rules');
  const [asText, setAsText] = useState(false);
  useKeys(state, onClose);
  const shows = (one: Tab) => wide || tab === one;
  const text = <Text skill={skill} type={type} own={draft.own} />;
  return (
    <section aria-label={`Records of ${name}`} data-testid="records-page" className="flex h-full min-w-0 flex-1 flex-col">
      <Head skill={skill} name={name} type={type} state={state} wide={wide} onType={onType} onNew={onNew} onClose={onClose} />
      {!wide && draft.page !== null && <Tabs state={state} tab={tab} onTab={setTab} />}
      <div className="flex min-h-0 flex-1">
        {(wide || tab !== 'result') && (
          <div className="min-w-0 flex-1 overflow-y-auto">
            {error && (
              <div className="p-4">
                <ErrorBox error={error} actions={<LinkButton onClick={state.readAgain}>Try again</LinkButton>} />
              </div>
            )}
            {draft.page === null && !error && (
              <div className="p-5">
                <Loading lines={6} label="Reading your notes" />
              </div>
            )}
            {draft.page !== null &&
              (asText ? (
                text
              ) : (
                <>
                  {wide && <Intro state={state} />}
                  <Faults reasons={faultsAt(draft, '')} />
                  {shows('rules') && <Rules draft={draft} say={say} />}
                  {shows('properties') && <Properties draft={draft} say={say} />}
                  {shows('properties') && <OwnFields draft={draft} say={say} skill={name} />}
                </>
              ))}
          </div>
        )}
        {shows('result') && (
          <aside aria-label="Result" className={`overflow-y-auto bg-surface-side ${wide ? 'w-100 shrink-0 border-l border-line' : 'flex-1'}`}>
            <Result draft={draft} say={say} onOther={onOther} />
          </aside>
        )}
      </div>
      <Footer state={state} small={!wide} asText={asText} onText={() => setAsText(!asText)} onClose={onClose} />
    </section>
  );
}

function Intro({ state: { draft } }: { state: RecordsPageState }) {
  const { page } = draft;
  if (page === null) return null;
  const name = page.label.toLowerCase();
  return (
    <div className="border-b border-line px-5 py-3.5">
      <p className="text-body font-medium">{page.taken === 0 ? `No note looks like a ${name} yet.` : `Nova would read ${page.taken === 1 ? `one note as a ${name}` : `${page.taken} notes as ${name} records`}.`}</p>
      <p className="text-small text-fg-2">Change what does not fit. The right side updates at once.</p>
    </div>
  );
}

function Tabs({ state: { draft }, tab, onTab }: { state: RecordsPageState; tab: Tab; onTab: (tab: Tab) => void }) {
  const { page } = draft;
  if (page === null) return null;
  const odd = notUnderstood(page);
  return (
    <div className="flex h-11.5 shrink-0 items-center gap-3 border-b border-line px-4 text-small">
      <Segments
        label="Part of the settings"
        value={tab}
        onChange={onTab}
        options={[
          { value: 'rules', label: `Recognised by ${usedRules(draft).length}` },
          { value: 'properties', label: `Properties ${page.fields.length}` },
          { value: 'result', label: 'Result' },
        ]}
      />
      <span className="flex-1" />
      <span className="cut text-fg-2">
        {page.taken} taken, {leftOut(page)} left out
        {odd > 0 && (
          <>
            , <LinkButton onClick={() => onTab('result')}>{odd} not understood</LinkButton>
          </>
        )}
      </span>
    </div>
  );
}

/** As configuration text. */
function Text({ skill, type, own }: { skill: string; type: string; own: object }): ReactNode {
  return (
    <div className="p-5 text-small">
      <p className="mb-2 text-fg-2">
        <span className="font-mono">{`skills.${skill}.config.records.${type}`}</span> in nova.config.json
      </p>
      <pre className="selectable overflow-x-auto rounded-card bg-surface-sunken p-3 font-mono">{JSON.stringify(own, null, 2)}</pre>
    </div>
  );
}

/** Ctrl+Enter applies the settings, the arrow keys move between notes, Esc goes back. */
function useKeys({ say }: RecordsPageState, onClose: () => void) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const inControl = event.target instanceof Element && event.target.closest('input, select, textarea, [role=radiogroup], [role=group], [role=dialog]') !== null;
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) document.querySelector<HTMLButtonElement>('[data-testid=use-records]')?.click();
      // In a field it only leaves the field, so that no setting is lost.
      else if (event.key === 'Escape' && inControl) (event.target as HTMLElement).blur();
      else if (event.key === 'Escape') onClose();
      else if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && !inControl && !event.altKey && !event.ctrlKey) say({ type: 'note_moved', by: event.key === 'ArrowLeft' ? -1 : 1 });
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [say, onClose]);
}
