import type { Confidence, TypeProposal } from '../ipc';
import { counted, noteName } from './format';

const WORDS: Record<Confidence, string> = { sure: 'sure', likely: 'likely', unlikely: 'unlikely' };
const COLORS: Record<Confidence, string> = { sure: 'text-ok', likely: 'text-fg-2', unlikely: 'text-warn' };

/** The rules that identify notes of a type, and their effect: matched, excluded, unreadable. */
export function ProposedRules({ found }: { found: TypeProposal }) {
  if (found.rules.length === 0) return null;
  return (
    <div className="flex flex-col gap-1.5">
      <table className="w-full" aria-label={`Rules for ${found.record_type}`}>
        <thead className="text-fg-2">
          <tr>
            <th className="pr-3 text-left font-normal">Rule</th>
            <th className="pr-3 text-right font-normal">Notes</th>
            <th className="pr-3 text-left font-normal">Examples</th>
            <th className="text-left font-normal">Confidence</th>
          </tr>
        </thead>
        <tbody>
          {found.rules.map(({ rule, notes, more, examples, confidence, reason, used }, at) => (
            <tr key={rule} className={used ? 'align-baseline' : 'align-baseline text-fg-2'}>
              <td className="pr-3 font-mono">
                {rule}
                {!used && <span className="font-sans"> (not used)</span>}
              </td>
              <td className="pr-3 text-right tabular-nums">{notes}</td>
              <td className="selectable pr-3">
                {at === 0 ? examples.map((path) => noteName(path).name).join(', ') : `${more} more than above`}
              </td>
              <td>
                <span className={COLORS[confidence]}>{WORDS[confidence]}</span> <span className="selectable text-fg-2">{reason}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul className="selectable text-fg-2">
        <li>{counted(found.notes, 'note')} taken.</li>
        {found.left_out.map(({ what, notes }) => (
          <li key={what}>
            {counted(notes, 'note')} left out: {what}.
          </li>
        ))}
        {found.not_understood.map(({ field, property, notes, needs, examples }) => (
          <li key={field}>
            {counted(notes, 'value')} not understood: {property} is not {needs} ({examples.map((said) => `“${said}”`).join(', ')}). The notes are taken, the
            value stays empty.
          </li>
        ))}
      </ul>
    </div>
  );
}
