import { linkButton, row } from '../buttons.ts';
import type { Command } from '../command.ts';
import { textsIn } from '../language.ts';

/** /help: what the commands do, in one sentence. */

export const HELP_TEXTS = textsIn('help', {
  commands:
    '`/upload` puts files into a folder, `/share` posts its card, `/list` shows your folders, and `/delete` deletes one.',
  /** To people who manage the server. */
  manager: '`/settings` has the rules of this server.',
  site: 'Open the site',
});

export const helpCommand: Command = {
  name: 'help',
  run: async ({ publicUrl }, { language, isManager }) => {
    const texts = HELP_TEXTS[language];
    return {
      kind: 'private',
      message: {
        content: isManager ? `${texts.commands} ${texts.manager}` : texts.commands,
        components: [row(linkButton(texts.site, publicUrl))],
      },
    };
  },
};
