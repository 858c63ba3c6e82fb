// Example requests for a skill, and where the router currently sends each. No model is asked.

import { useCallback, useEffect, useState } from 'react';

import { useBackend, userError, type SkillRow, type ToolSuggestion, type UserError } from '../ipc';
import { ErrorBox, Icon, LinkButton } from '../shared';
import { Revealed } from '../shared/Revealed';
import { Part } from './Part';
import { exampleOf } from './skill-rows';

interface Tested {
  readonly skill: string;
  /** The best tool by example, or none. */
  readonly best: ReadonlyMap<string, ToolSuggestion | null>;
  readonly error: UserError | null;
}

export function SkillRouting({ row }: { row: SkillRow }) {
  const backend = useBackend();
  const [tested, setTested] = useState<Tested | null>(null);
  const [running, setRunning] = useState(false);
  const works = row.state === 'available' || row.state === 'active';
  const written = JSON.stringify(row.examples);

  const run = useCallback(async (): Promise<Tested> => {
    const examples = JSON.parse(written) as string[];
    try {
      const found = await Promise.all(
        examples.map(async (example) => {
          const { text } = exampleOf(example);
          const [best] = await backend.rpc('suggest_tools', { text, limit: 1, example: true });
          return [example, best ?? null] as const;
        }),
      );
      return { skill: row.id, best: new Map(found), error: null };
    } catch (thrown) {
      return { skill: row.id, best: new Map(), error: userError(thrown) };
    }
  }, [backend, row.id, written]);

  useEffect(() => {
    if (!works || written === '[]') return;
    let current = true;
    void run().then((done) => current && setTested(done));
    return () => {
      current = false;
    };
  }, [run, works, written]);

  const again = () => {
    setRunning(true);
    void run().then((done) => {
      setTested(done);
      setRunning(false);
    });
  };

  if (row.examples.length === 0) return null;
  const reached = row.examples.filter((example) => reaches(row, example, tested?.best.get(example) ?? null)).length;
  const known = works && tested !== null && tested.error === null;
  return (
    <Part
      title="Routing examples"
      note={
        known
          ? `${reached} of ${row.examples.length} reach ${row.name}, tested offline`
          : works
            ? 'requests that should reach it'
            : 'available only while the skill is'
      }
      action={
        works && (
          <LinkButton disabled={running} onClick={again} data-testid="routing-run">
            {running ? 'Running…' : 'Run again'}
          </LinkButton>
        )
      }
    >
      {tested?.error && <ErrorBox error={tested.error} />}
      <ul className="flex flex-col gap-0.5">
        {row.examples.map((example) => (
          <Example key={example} row={row} example={example} best={known ? (tested.best.get(example) ?? null) : undefined} />
        ))}
      </ul>
    </Part>
  );
}

/** `best` is undefined until tested. */
function Example({ row, example, best }: { row: SkillRow; example: string; best: ToolSuggestion | null | undefined }) {
  const { text, tool } = exampleOf(example);
  const right = best !== undefined && reaches(row, example, best);
  const to = best ? `${best.tool ?? best.skill} ${best.score.toFixed(2)}` : 'nothing';
  return (
    <li data-testid="routing-example" data-reached={best === undefined ? undefined : right} className="flex items-baseline gap-2">
      {best !== undefined && (
        <Icon name={right ? 'check' : 'warn'} size={12} className={`translate-y-0.5 ${right ? 'text-ok' : 'text-warn'}`} />
      )}
      <span className="min-w-0 flex-1">
        “<Revealed text={text} />”
      </span>
      {best !== undefined && (
        <span className={`shrink-0 font-mono text-meta ${right ? 'text-fg-3' : 'text-warn'}`}>
          <span className="sr-only">{right ? 'reaches' : best ? 'goes elsewhere:' : 'reaches'} </span>
          {to}
          {!right && tool !== null && best?.skill === row.id && <span className="text-fg-2">, not {tool}</span>}
        </span>
      )}
    </li>
  );
}

function reaches(row: SkillRow, example: string, best: ToolSuggestion | null): boolean {
  const { tool } = exampleOf(example);
  return best !== null && best.skill === row.id && (tool === null || best.tool === `${row.id}.${tool}`);
}
