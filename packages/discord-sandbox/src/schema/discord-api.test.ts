import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { writtenSchemas } from '../../scripts/follow-discord.ts';

test("Discord's schemas equal the ones of the package that they are taken from", () => {
  const file = readFileSync(new URL('./discord-api.json', import.meta.url), 'utf8');
  expect(file).toBe(writtenSchemas());
});
