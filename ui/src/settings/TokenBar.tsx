// Tokens as a bar of three parts: catalog, instructions, schemas.

import { count } from '../shared';

interface TokenBarProps {
  readonly tokens: { readonly catalog: number; readonly instructions: number; readonly schemas: number };
  /** Tokens of a full bar, the same for adjacent bars. */
  readonly scale: number;
  readonly className?: string;
}

export function TokenBar({ tokens, scale, className = '' }: TokenBarProps) {
  const { catalog, instructions, schemas } = tokens;
  const width = (part: number) => ({ width: `${scale > 0 ? Math.min(100, (part / scale) * 100) : 0}%` });
  const label = `${count(catalog)} catalog, ${count(instructions)} instructions, ${count(schemas)} schemas`;
  return (
    <div role="img" aria-label={label} data-tip={label} className={`flex gap-px overflow-hidden ${className}`}>
      {catalog > 0 && <span className="min-w-0.5 bg-c1" style={width(catalog)} />}
      {instructions > 0 && <span className="bg-c2" style={width(instructions)} />}
      {schemas > 0 && <span className="bg-c3" style={width(schemas)} />}
    </div>
  );
}
