// Text contrast on every surface, in both themes, computed from the design tokens.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

const css = readFileSync('src/styles/tokens.css', 'utf8');
const [, light = '', dark = ''] = css.split(/:root[^{]*\{/);

type Rgb = [number, number, number];

function token(theme: string, name: string): string {
  return new RegExp(`--${name}: ([^;]+);`).exec(theme)?.[1] ?? '';
}

function hex(value: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16)) as Rgb;
}

/** The colour of a translucent token over an opaque one. */
function over(translucent: string, base: Rgb): Rgb {
  const [r = 0, g = 0, b = 0, percent = 0] = (translucent.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b].map((part, at) => part * (percent / 100) + base[at]! * (1 - percent / 100)) as Rgb;
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_name, theme) => {
  const surfaces = ['surface', 'surface-side', 'surface-sunken', 'surface-raised'];

  test.each(['text', 'text-2', 'text-3'])('%s on every surface, chosen rows included', (text) => {
    const side = hex(token(theme, 'surface-side'));
    const grounds = [...surfaces.map((name) => hex(token(theme, name))), over(token(theme, 'selected'), side)];
    for (const ground of grounds) expect(contrast(hex(token(theme, text)), ground)).toBeGreaterThanOrEqual(4.5);
  });

  test.each([
    ['accent', 'surface'],
    ['accent', 'accent-soft'],
    ['on-accent', 'accent-fill'],
    ['on-accent', 'accent-hover'],
    ['on-accent', 'danger-fill'],
    ['ok', 'ok-soft'],
    ['warn', 'warn-soft'],
    ['danger', 'danger-soft'],
    ['text', 'ok-soft'],
    ['text', 'ok-strong'],
    ['text', 'danger-soft'],
    ['text', 'danger-strong'],
    ['text', 'warn-soft'],
  ])('%s on %s', (text, ground) => {
    expect(contrast(hex(token(theme, text)), hex(token(theme, ground)))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(surfaces)('a field’s border on %s', (ground) => {
    expect(contrast(hex(token(theme, 'line-control')), hex(token(theme, ground)))).toBeGreaterThanOrEqual(3);
  });
});
