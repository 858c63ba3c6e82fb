// Nova's own icons: a 16 box, 1.4 stroke, round ends, in the colour of the text.

import type { SVGProps } from 'react';

const paths = {
  'arrow-down': 'M8 3v10M4 9l4 4 4-4',
  'arrow-right': 'M3 8h10M9 4l4 4-4 4',
  'arrow-up': 'M8 13V3M4 7l4-4 4 4',
  ban: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM3.8 3.8l8.4 8.4',
  brackets: 'M6 2.5H3.5v11H6M11.5 2.5H9v11h2.5',
  bell: 'M4 11.5V7.2a4 4 0 0 1 8 0v4.3l1.2 1.2H2.8L4 11.5ZM6.6 14h2.8M8 3.2V2',
  bolt: 'M9 1.8 3.6 9H8l-1 5.2L12.4 7H8l1-5.2Z',
  book: 'M8 3.5C6.5 2.6 4.6 2.4 2.5 2.5v10.6c2.1-.1 4 .1 5.5 1 1.5-.9 3.4-1.1 5.5-1V2.5c-2.1-.1-4 .1-5.5 1Zm0 0v10.6',
  calendar: 'M3.5 3.5h9a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1ZM2.5 6.7h11M5.5 2v2.5M10.5 2v2.5',
  chart: 'M2.5 2.5v11h11M5 9.5l2.5-3 2 1.8L13 4.5',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  'chevron-down': 'm4 6 4 4 4-4',
  'chevron-left': 'm10 4-4 4 4 4',
  'chevron-right': 'm6 4 4 4-4 4',
  'chevron-up': 'm4 10 4-4 4 4',
  clip: 'M12.8 7.3 7.9 12.2a3 3 0 0 1-4.3-4.3l5.2-5.2a2 2 0 0 1 2.9 2.9L6.5 10.8a1 1 0 0 1-1.5-1.5l4.6-4.5',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3.2l2 1.3',
  cloud: 'M4.8 12.5a2.8 2.8 0 0 1-.3-5.6 3.7 3.7 0 0 1 7.1.6 2.5 2.5 0 0 1-.1 5H4.8Z',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  collapse: 'M13.5 2.5 9.5 6.5M9.5 3v3.5H13M2.5 13.5l4-4M3 9.5h3.5V13',
  copy: 'M6 5.5h6.5a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1ZM11 5.5V3a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1H5',
  cube: 'm8 1.8 5.5 3.1v6.2L8 14.2l-5.5-3.1V4.9L8 1.8ZM2.5 4.9 8 8l5.5-3.1M8 8v6.2',
  expand: 'm9.5 6.5 4-4M10 2.5h3.5V6M6.5 9.5l-4 4M6 13.5H2.5V10',
  external: 'M9.5 2.5h4v4M13.5 2.5 8 8M7 3.5H3.5a1 1 0 0 0-1 1v8a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1V9',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8ZM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z',
  'eye-off': 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8ZM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM3 2.5l10 11',
  failed: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM6 6l4 4M10 6l-4 4',
  filter: 'M2.5 3h11L9.5 8v5l-3-1.5V8l-4-5Z',
  folder: 'M2 4.5a1 1 0 0 1 1-1h3l1.5 2H13a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-7Z',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14c-2-2-2.6-4-2.6-6S6 4 8 2Z',
  import: 'M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M2.5 10.5V13a.5.5 0 0 0 .5.5h10a.5.5 0 0 0 .5-.5v-2.5',
  info: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.5V11M8 5.2v.1',
  key: 'M5.5 7.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM7.6 8.4 13.5 2.5M11 5l2 2',
  laptop: 'M4 3.5h8a1 1 0 0 1 1 1v6H3v-6a1 1 0 0 1 1-1ZM1.5 12.7h13',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.6 4v.1M2.6 8v.1M2.6 12v.1',
  lock: 'M4 7.5h8a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8.5a1 1 0 0 1 1-1ZM5.2 7.5v-2a2.8 2.8 0 0 1 5.6 0v2',
  lookup: 'M12.5 6.5V3a1 1 0 0 0-1-1h-8a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1H7M5 5h5M5 8h2.5M10.5 8.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4ZM12 12l2 2',
  mail: 'M3 3.5h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1ZM2.3 4.5 8 9l5.7-4.5',
  more: 'M3.5 8v.1M8 8v.1M12.5 8v.1',
  note: 'M4.5 2h5L13 5.5V13a1 1 0 0 1-1 1H4.5a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1ZM9.5 2v3.5H13M6 8.5h4.5M6 11h3',
  panel: 'M3 3h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM10 3v10',
  pencil: 'M10.8 2.8 13.2 5.2 5.5 12.9l-3 .6.6-3 7.7-7.7ZM9.3 4.3l2.4 2.4',
  people: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13c0-2.4 1.7-3.8 4.2-3.8s4.2 1.4 4.2 3.8M10.5 3.2a2.2 2.2 0 0 1 0 4.1M12 9.6c1.4.5 2.2 1.7 2.2 3.4',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  play: 'M4.5 3v10l8-5-8-5Z',
  plug: 'M5.5 2v3M10.5 2v3M4 5h8v2.5a4 4 0 0 1-8 0V5ZM8 11.5V14',
  plus: 'M8 3v10M3 8h10',
  question: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM6.3 6.5a1.7 1.7 0 1 1 2.6 1.4c-.6.4-.9.7-.9 1.3M8 11.2v.1',
  queued: '',
  quote: 'M6.5 4.5c-2 .6-3 2-3 4v3h3.5v-3.500H5c0-1.300.6-2 1.800-2.500ZM13 4.500c-2 .6-3 2-3 4v3h3.500v-3.500h-2c0-1.300.6-2 1.800-2.500Z',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v2.5H11',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3l3.2 3.2',
  send: 'M14 2 7.5 8.5M14 2l-4 12-2.5-5.5L2 6l12-4Z',
  shield: 'm8 1.8 5 1.9v4c0 3.1-2 5.3-5 6.5-3-1.2-5-3.4-5-6.5v-4l5-1.9Z',
  sidebar: 'M3 3h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1ZM6 3v10',
  slash: 'M10 2.5 6 13.5',
  sliders: 'M2 4.5h7.5M12.5 4.5H14M11 3v3M2 11.5h1.5M6.5 11.5H14M5 10v3',
  star: 'm8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5L8 2Z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  task: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM5.4 8.2l1.9 1.9 3.4-3.9',
  terminal: 'M3 2.5h10a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM4.5 6l2 2-2 2M8.5 10.5h3',
  trash: 'M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.7 7v4M9.3 7v4',
  upload: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2',
  swap: 'M2.5 5.5h10.5M10.5 3 13 5.5 10.5 8M13.5 10.5H3M5.5 8 3 10.5 5.5 13',
  undo: 'M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H7',
  wallet: 'M3 4.5h9.5a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1.5 1.5 0 0 1 1.5-1.5H11v2M11 9v.1',
  warn: 'M8 2.3 14.3 13.5H1.7L8 2.3ZM8 6.5V10M8 11.7v.1',
  x: 'm4 4 8 8M12 4l-8 8',
} as const;

export type IconName = keyof typeof paths | 'nova' | 'dot' | 'stop' | 'spinner';

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'name'> {
  readonly name: IconName;
  readonly size?: 16 | 14 | 12;
}

/** Always accompanies a word or is inside something labelled, so hidden from screen readers. */
export function Icon({ name, size = 16, className = '', ...rest }: IconProps) {
  return (
    <svg
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={ofBox(1.4)}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      {...rest}
    >
      {draw(name)}
    </svg>
  );
}

/** A length relative to the box: in a zoomed page WebKit would scale absolute lengths twice. */
function ofBox(length: number): string {
  return `${(length / 16) * 100}%`;
}

function draw(name: IconName) {
  switch (name) {
    case 'nova':
      return (
        <path
          d="M8 1.5 9.7 6.3 14.5 8 9.7 9.7 8 14.5 6.3 9.7 1.5 8 6.3 6.3 8 1.5Z"
          fill="currentColor"
          stroke="none"
        />
      );
    case 'dot':
      return <circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none" />;
    case 'stop':
      return <rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" stroke="none" />;
    case 'queued':
      return <circle cx="8" cy="8" r="6" strokeDasharray={`${ofBox(2.4)} ${ofBox(2.3)}`} />;
    case 'spinner':
      return <Spinner />;
    case 'more':
      return <path d={paths.more} strokeWidth={ofBox(2)} />;
    default:
      return <path d={paths[name]} />;
  }
}

/** Rotates in eight steps; a clock with reduced motion. */
function Spinner() {
  return (
    <>
      <g className="origin-center animate-spin motion-reduce:hidden">
        <circle cx="8" cy="8" r="6" stroke="var(--line-strong)" />
        <path d="M8 2a6 6 0 0 1 6 6" stroke="var(--accent)" />
      </g>
      <path className="hidden motion-reduce:block" d={paths.clock} />
    </>
  );
}

const skillIcons: Record<string, IconName> = {
  budget: 'wallet',
  calendar: 'calendar',
  core: 'terminal',
  crm: 'people',
  lookup: 'lookup',
  mail: 'mail',
  portfolio: 'chart',
  screener: 'filter',
  vault: 'book',
};
const sourceIcons: Record<string, IconName> = { dynamic: 'code', folder: 'folder', mcp: 'plug' };

/** A skill's icon: by its id, else the manifest's, else by its source. */
export function skillIcon(skill: string, source = '', named: string | null = null): IconName {
  return skillIcons[skill] ?? iconOf(named) ?? sourceIcons[source] ?? 'cube';
}

/** The icon of that name, if it exists. */
export function iconOf(name: string | null): IconName | undefined {
  if (name === 'edit') return 'pencil';
  return name !== null && Object.hasOwn(paths, name) ? (name as IconName) : undefined;
}
