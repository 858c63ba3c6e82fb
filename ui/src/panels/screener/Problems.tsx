import { Banner, LinkButton } from '../../shared';
import { Revealed } from '../../shared/Revealed';
import { useActions } from '../../state/hooks';

/** Problems reported by a tool, with a link to the note. */
export function Problems({ problems, note = null, label }: { problems: readonly string[]; note?: string | null; label: string }) {
  const { openNote } = useActions();
  if (problems.length === 0) return null;
  return (
    <section aria-label={label} className="flex max-h-40 shrink-0 flex-col gap-1.5 overflow-y-auto">
      {problems.map((problem, at) => (
        <Banner key={at} tone="warn" icon="warn" actions={note !== null && <LinkButton onClick={() => openNote(note)}>Open note</LinkButton>}>
          <Revealed text={problem} />
        </Banner>
      ))}
    </section>
  );
}
