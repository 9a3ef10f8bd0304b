// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLanguage } from '../../lib/texts/language.ts';

beforeEach(() => startLanguage());
afterEach(cleanup);

test('a count that changes stays in its element, while hundreds of files come', async () => {
  const { Counts } = await import('./upload-panel.tsx');
  const counted = (completed: number, pending: number) => (
    <I18nProvider i18n={i18n}>
      <Counts busy counts={{ pending, encrypting: 0, uploading: 0, completed, error: 0, paused: 0 }} />
    </I18nProvider>
  );
  const { rerender } = render(counted(1, 2));
  const before = screen.getAllByRole('listitem');
  rerender(counted(2, 1));
  const after = screen.getAllByRole('listitem');
  expect(after.map(({ textContent }) => textContent)).toEqual(['2 completed', '1 pending']);
  expect(after.map((element, at) => element === before[at])).toEqual([true, true]);
});
