import type { Command } from './command.ts';

/** Every command that the bot knows. */
export const COMMANDS: readonly Command[] = [];
