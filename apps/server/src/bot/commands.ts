import type { Command } from './command.ts';
import { deleteCommand } from './delete.ts';
import { listCommand } from './list.ts';
import { shareCommand } from './share.ts';
import { uploadCommand } from './upload.ts';

/** Every command that the bot knows. */
export const COMMANDS: readonly Command[] = [uploadCommand, listCommand, shareCommand, deleteCommand];
