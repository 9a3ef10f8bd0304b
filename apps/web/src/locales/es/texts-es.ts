import type { Messages } from '@lingui/core';

/** What a folder's page says at once. */
export const CATALOGUES = import.meta.glob<Messages>('./{shell,common,folder}.po', { eager: true, import: 'messages' });
export { ERROR_TEXTS } from './errors.ts';
