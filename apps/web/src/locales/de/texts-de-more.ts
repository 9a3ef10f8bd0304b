import type { Messages } from '@lingui/core';

export const CATALOGUES = import.meta.glob<Messages>(['./*.po', '!./{shell,common,folder}.po'], {
  eager: true,
  import: 'messages',
});
