// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteServerTime } from '../../lib/api/server-clock.ts';
import { startLanguage } from '../../lib/texts/language.ts';

beforeEach(() => startLanguage());
afterEach(cleanup);

test.each([-3, 0, 3])(
  'the pause before the next try is counted right where the server’s clock is %d h ahead',
  async (hours) => {
    const { ServerWait } = await import('./upload-panel.tsx');
    noteServerTime(new Date(Date.now() + hours * 3_600_000).toISOString());
    render(
      <I18nProvider i18n={i18n}>
        <ServerWait untilMs={Date.now() + 19_500} onTryNow={() => undefined} />
      </I18nProvider>,
    );
    expect(document.body.textContent).toContain('trying again in 20 s');
    screen.getByRole('button', { name: 'Try now' });
  },
);
