import { nothing } from '../ipc';
import { Button, counted, Icon, skillIcon } from '../shared';
import { modelInUse } from '../state/app';
import { useActions, useApp, useRpc } from '../state/hooks';
import { RecordsOffer } from './RecordsOffer';
import { suggestions } from './suggestions';
import { Today } from './today/Today';

/** An empty chat: today's events and due items, else suggestions. */
export function NewChat() {
  const model = useApp(modelInUse);
  return (
    <>
      <Today empty={<NothingDue />} />
      <RecordsOffer />
      {model === null && <NoModel />}
    </>
  );
}

function NoModel() {
  const { show } = useActions();
  return (
    <section aria-label="No model yet" className="mt-4 flex flex-wrap items-center gap-3 rounded-card border border-line px-3 py-2.5">
      <div className="min-w-48 flex-1">
        <h3 className="text-ui font-medium">No model yet</h3>
        <p className="text-small text-fg-2">A chat needs a model. Every tool works without one.</p>
      </div>
      <Button variant="primary" onClick={() => show({ kind: 'settings', page: 'models' })}>
        Set up a model
      </Button>
      <Button onClick={() => show({ kind: 'run-tool', tool: null })}>Run a tool</Button>
    </section>
  );
}

/** Suggestions when nothing is due. */
function NothingDue() {
  const vault = useApp((app) => app.status?.vault);
  const registry = useApp((app) => app.revisions.registry);
  const skills = useRpc('list_skills', nothing, registry).data;
  const { setDraft } = useActions();
  const glances = useApp((app) => app.glances);
  // Rendered together, so that no row changes under the pointer.
  const offered = skills === null || glances === null ? [] : suggestions(skills, glances);
  const begin = (text: string) => {
    setDraft({ text }, true);
    document.querySelector<HTMLElement>('[data-testid=composer-input]')?.focus();
  };
  return (
    <>
      {vault && <p className="text-body text-fg-2">Nothing due today. {counted(vault.notes, 'note')} read.</p>}
      {offered.length > 0 && (
        <ul aria-label="Suggestions" className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface-raised">
          {offered.map(({ skill, text, detail }) => (
            <li key={`${skill.id} ${text}`}>
              <button
                type="button"
                data-testid="suggestion"
                onClick={() => begin(text)}
                className="flex h-9.5 w-full items-center gap-3 px-3 text-left text-ui outline-offset-[-2px] hover:bg-hover"
              >
                <Icon name={skillIcon(skill.id)} className="text-fg-2" />
                <span className="cut flex-1">{text}</span>
                <span className="tabular shrink-0 text-small text-fg-3">{detail}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
