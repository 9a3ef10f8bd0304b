import type { Messages } from '@lingui/core';
import type { ErrorTexts } from './error-text.ts';

/* Apart from language.ts, so that who reads English doesn't fetch where the other languages are. */

export const CATALOGUES = import.meta.glob<{ messages: Messages }>(['../locales/*/*.po', '!../locales/en/*.po']);
export const ERRORS = import.meta.glob<{ ERROR_TEXTS: ErrorTexts }>('../locales/*/errors.ts');
