import type { Command } from './command.ts';
import { deleteCommand } from './delete/delete.ts';
import { helpCommand } from './help/help.ts';
import { listCommand } from './list/list.ts';
import { settingsCommand } from './settings/settings.ts';
import { shareCommand } from './share/share.ts';
import { uploadCommand } from './upload/upload.ts';

/** Every command of the bot. */
export const COMMANDS: readonly Command[] = [
  uploadCommand,
  listCommand,
  shareCommand,
  deleteCommand,
  settingsCommand,
  helpCommand,
];
