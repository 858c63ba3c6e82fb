import type { ReactNode } from 'react';

import type { Effect, PrincipalView, SkillState } from '../ipc';
import { Icon, type IconName } from './Icon';
import { Revealed } from './Revealed';

export type Tone = 'grey' | 'accent' | 'ok' | 'warn' | 'danger' | 'outline';

const tones: Record<Tone, string> = {
  grey: 'bg-surface-sunken text-fg-2',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  outline: 'border border-line-strong text-fg-2',
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
  readonly title?: string;
}

export function Badge({ tone = 'grey', icon, children, title }: BadgeProps) {
  return (
    <span
      data-tip={title}
      className={`inline-flex h-4.5 shrink-0 items-center gap-1.5 rounded-badge px-1.5 text-meta font-medium whitespace-nowrap ${tones[tone]}`}
    >
      {icon && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}

const effects: Record<Effect, { tone: Tone; icon: IconName; word: string }> = {
  read: { tone: 'grey', icon: 'eye', word: 'read' },
  write: { tone: 'grey', icon: 'pencil', word: 'write' },
  external: { tone: 'warn', icon: 'globe', word: 'external' },
  destructive: { tone: 'danger', icon: 'trash', word: 'destructive' },
  send: { tone: 'danger', icon: 'send', word: 'send' },
  undeclared: { tone: 'danger', icon: 'trash', word: 'destructive, not declared' },
};

/** A call's effect, always as icon and word. */
export function EffectBadge({ effect }: { effect: Effect }) {
  const { tone, icon, word } = effects[effect];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
}

/** The principal of a call. */
export function PrincipalBadge({ principal }: { principal: PrincipalView }) {
  switch (principal.kind) {
    case 'user':
      return <Badge tone="outline">on your behalf</Badge>;
    case 'subagent':
      return <Badge tone="warn">sub-agent “<Revealed text={principal.name} />”</Badge>;
    case 'mcp_client':
      return <Badge tone="warn">MCP client <Revealed text={principal.name} /></Badge>;
  }
}

/** Dot and label of a skill's state. */
export const skillStates: Record<SkillState, { dot: string; word: string; attention: boolean }> = {
  active: { dot: 'bg-accent', word: 'active', attention: false },
  available: { dot: 'bg-ok', word: 'available', attention: false },
  disabled: { dot: 'border border-fg-3', word: 'off', attention: false },
  unavailable: { dot: 'bg-warn', word: 'unavailable', attention: true },
  needs_sign_in: { dot: 'bg-warn', word: 'needs sign-in', attention: true },
  needs_review: { dot: 'bg-warn', word: 'needs review', attention: true },
  starting: { dot: 'bg-fg-3', word: 'starting', attention: false },
  failed: { dot: 'bg-danger', word: 'did not start', attention: true },
  broken: { dot: 'bg-danger', word: 'broken', attention: true },
};

export function Dot({ className }: { className: string }) {
  return <span aria-hidden="true" className={`inline-block size-2 shrink-0 rounded-full ${className}`} />;
}
