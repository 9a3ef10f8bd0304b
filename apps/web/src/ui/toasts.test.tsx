// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, test } from 'vitest';
import { notify } from '../lib/base/toast.ts';
import { startLanguage } from '../lib/texts/language.ts';
import { Toasts } from './toasts.tsx';

afterEach(cleanup);

test('a toast says itself again in the language that the page has by then', async () => {
  await startLanguage();
  render(
    <I18nProvider i18n={i18n}>
      <Toasts />
    </I18nProvider>,
  );
  act(() => notify(() => `in ${i18n.locale}`));
  await screen.findByText('in en');
  act(() => i18n.loadAndActivate({ locale: 'de', messages: {} }));
  await screen.findByText('in de');
});
