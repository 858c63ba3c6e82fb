export function Kbd({ children, on = 'surface' }: { children: string; on?: 'surface' | 'fill' }) {
  const look = on === 'fill' ? 'bg-[rgb(0_0_0/22%)]' : 'border border-line-strong text-fg-3';
  return (
    <kbd
      aria-hidden="true"
      className={`inline-flex h-4.5 shrink-0 items-center rounded-badge px-1 font-sans text-meta font-normal whitespace-nowrap ${look}`}
    >
      {children}
    </kbd>
  );
}
