// Appearance: theme, text size, the figures below the composer. Applied at once.

import type { Theme } from '../ipc';
import { Button, keyText, Segments, Switch } from '../shared';
import { useActions, useApp } from '../state/hooks';
import { keysOf } from '../state/keys';
import { Setting } from './Setting';

const sizes = { least: 12, usual: 14, most: 18 };

export function AppearancePage() {
  const appearance = useApp(({ status }) => status?.appearance ?? null);
  const percent = useApp(({ zoom }) => zoom);
  const keys = useApp((app) => app.keys);
  const { setAppearance, zoom } = useActions();
  if (!appearance) return null;
  const { theme, text_size: size, activity_line: line } = appearance;
  return (
    <section aria-label="Appearance" className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center border-b border-line px-4">
        <h1 className="text-body font-semibold">Appearance</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="max-w-180 px-4">
          <Setting name="Theme" note="System follows this computer’s setting.">
            <Segments<Theme>
              label="Theme"
              value={theme}
              options={[
                { value: 'system', label: 'System' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
              onChange={(next) => void setAppearance({ theme: next })}
            />
          </Setting>
          <Setting name="Text size" note="Scales all text.">
            <span className="tabular text-small text-fg-2" data-testid="text-size">
              {size} px
            </span>
            <input
              type="range"
              aria-label="Text size"
              min={sizes.least}
              max={sizes.most}
              step={1}
              value={size}
              onChange={(event) => void setAppearance({ text_size: Number(event.target.value) })}
              className="w-40 accent-accent-fill"
            />
            <Button
              size="s"
              disabled={size === sizes.usual}
              onClick={() => void setAppearance({ text_size: sizes.usual })}
            >
              Reset
            </Button>
          </Setting>
          <Setting name="Zoom" note={`Scales the window: ${keyText(keysOf(keys, 'zoom-in'))}, ${keyText(keysOf(keys, 'zoom-out'))}, or Ctrl and the mouse wheel.`}>
            <span className="tabular text-small text-fg-2" data-testid="zoom">
              {percent} %
            </span>
            <Button size="s" aria-label="Smaller" onClick={() => zoom(-1)}>
              −
            </Button>
            <Button size="s" aria-label="Larger" onClick={() => zoom(1)}>
              +
            </Button>
            <Button size="s" aria-label="Reset zoom" disabled={percent === 100} onClick={() => zoom(0)}>
              Reset
            </Button>
          </Setting>
          <Setting name="Activity line" note="Skills, tokens and cache of the last request, under the composer.">
            <Switch
              checked={line}
              onChange={(next) => void setAppearance({ activity_line: next })}
              label="Activity line"
              testId="activity-line-switch"
            />
          </Setting>
        </div>
      </div>
    </section>
  );
}
