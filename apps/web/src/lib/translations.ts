import type { Messages } from '@lingui/core';
import type { ErrorTexts } from './texts/error-text.ts';

/* Apart from language.ts, so that an English page doesn't fetch the addresses of the other languages. */

export const CATALOGUES = import.meta.glob<{ messages: Messages }>(['./*/*.po', '!./en/*.po'], { base: '../locales' });
export const ERRORS = import.meta.glob<{ ERROR_TEXTS: ErrorTexts }>('./*/errors.ts', { base: '../locales' });
