// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { startLanguage } from '../../../lib/texts/language.ts';
import { ViewerStrip } from './viewer-strip.tsx';

/** Where the strip is scrolled to. */

const WIDTH_PX = 366;
/** How far a strip is scrolled whose middle shows this file. */
const centerOf = (at: number) => at * 72 + 36 - WIDTH_PX / 2;
const files = Array.from(
  { length: 12 },
  (_, at) => ({ id: `${at}`, name: `${at}.bin`, directory: '', category: 'default', still: null }) as FileItem,
);

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(WIDTH_PX);
  vi.spyOn(window, 'getComputedStyle').mockReturnValue({
    paddingLeft: '0px',
    paddingRight: '0px',
  } as CSSStyleDeclaration);
  return startLanguage();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('the open file is in the middle, also after a window that was wider for a moment moved the strip', () => {
  const strip = (at: number) => (
    <I18nProvider i18n={i18n}>
      <ViewerStrip file={files[at]!} files={files} onMove={vi.fn()} />
    </I18nProvider>
  );
  const { rerender } = render(strip(8));
  const nav = screen.getByRole('navigation', { hidden: true });
  expect(nav.scrollLeft).toBe(centerOf(8));
  rerender(strip(6));
  expect(nav.scrollLeft).toBe(centerOf(6));
  nav.scrollLeft = 52;
  fireEvent(window, new Event('resize'));
  expect(nav.scrollLeft).toBe(centerOf(6));
});
