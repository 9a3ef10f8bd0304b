// Runs on Node 20: only what that knows, and no import that needs node_modules.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the settings name a database, in one of the ways in which the server reads a secret (secret-files.ts). */
export const namesDatabase = ({ DATABASE_URL, DATABASE_URL_FILE, CREDENTIALS_DIRECTORY }) =>
  Boolean(DATABASE_URL || DATABASE_URL_FILE) ||
  Boolean(CREDENTIALS_DIRECTORY && existsSync(join(CREDENTIALS_DIRECTORY, 'DATABASE_URL')));
