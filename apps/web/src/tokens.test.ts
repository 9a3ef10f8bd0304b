import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Contrast of every pair of tokens that meet on a page: text 4.5:1, control edges and graphs 3:1. */

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

type Oklch = readonly [lightness: number, chroma: number, hueDegrees: number];

function tokensOf(theme: 'dark' | 'light'): Map<string, Oklch> {
  const ofBoth = /^:root \{([^}]*)\}/m.exec(css)?.[1] ?? '';
  const own = new RegExp(`\\[data-theme=["']${theme}["']\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  const found = (ofBoth + own).matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g);
  return new Map([...found].map(([, name = '', l, c, h]) => [name, [Number(l), Number(c), Number(h)] as const]));
}

/** WCAG's relative luminance of a colour, brought into sRGB by clipping (Ottosson's OKLab matrices). */
function luminance([lightness, chroma, hueDegrees]: Oklch): number {
  const hue = (hueDegrees * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Oklch, other: Oklch): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ['canvas', 'surface', 'raised', 'sunken'];
const STATES = ['success', 'info', 'warning', 'danger'];
const across = (inks: string[], grounds: string[], least: number) =>
  inks.flatMap((ink) => grounds.map((ground) => [ink, ground, least] as const));

const PAIRS = [
  ...across(['ink', 'muted', 'subtle', 'accent-text', ...STATES], GROUNDS, 4.5),
  ...across(['ink', 'muted', 'subtle', 'accent-text'], ['accent-soft'], 4.5),
  ...STATES.flatMap((state) => across([state, 'ink', 'muted'], [`${state}-soft`], 4.5)),
  // What is wrong with a key, in the notice that there is none.
  ...across(['danger'], ['warning-soft'], 4.5),
  ...across(['ink', 'subtle'], ['field'], 4.5),
  ...across(['accent-ink'], ['accent', 'accent-hover'], 4.5),
  ...across(['on-discord'], ['discord', 'discord-hover'], 4.5),
  ...across(['on-danger'], ['danger-fill', 'danger-fill-hover'], 4.5),
  ...across(['edge'], ['field', ...GROUNDS], 3),
  ...across(['stitch', 'graph', 'focus'], GROUNDS, 3),
];

describe.each(['dark', 'light'] as const)('in the %s theme', (theme) => {
  const tokens = tokensOf(theme);
  test.each(PAIRS)('%s on %s is at least %s:1', (ink, ground, least) => {
    const [front, back] = [tokens.get(ink), tokens.get(ground)];
    expect(front && back, `${ink} and ${ground} are tokens`).toBeTruthy();
    expect(contrast(front!, back!)).toBeGreaterThanOrEqual(least);
  });
});

test('the measure itself is WCAG’s: white on black is 21:1', () => {
  expect(contrast([1, 0, 0], [0, 0, 0])).toBeCloseTo(21, 1);
});
