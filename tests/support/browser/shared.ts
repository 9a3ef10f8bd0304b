import { personas } from '@satchel/discord-sandbox/personas/personas';
import pg from 'pg';
import { test as base } from 'vitest';
import { signIn } from '../people/client.ts';
import { patiently } from '../people/lost-answers.ts';
import { startSiteBehindLine } from '../site/line.ts';
import { type Site, startSite } from '../site/site.ts';
import { launchForShortVisits } from './browser.ts';
import { leaveProfiles } from './profiles.ts';

/**
 * What the test files of one worker share: a site with its sandbox, and a Chromium. A file begins with people who have
 * nothing, and leaves no page behind. It takes a site of its own (`startSite`) where it sets it up otherwise, ends or
 * starts it, or counts what the whole of it holds.
 */

/** Names of the personas that have an account there. */
async function signedUp({ databaseUrl }: Site): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query<{ discord_id: string }>('select discord_id from profiles')
    .finally(() => client.end());
  const ids = new Set(rows.map(({ discord_id }) => discord_id));
  return personas.flatMap(({ name, user }) => (ids.has(user.id) ? [name] : []));
}

/** Deletes the data of earlier test files on the site, through the people's own calls. */
export async function eraseEveryone(site: Site): Promise<void> {
  const names = await signedUp(site);
  await Promise.all(
    names.map((persona) =>
      patiently(async () => {
        const person = await signIn(site, persona);
        const { status } = await person.call('DELETE', '/rest/v1/profiles/me');
        if (status !== 204) throw new Error(`${persona} could not be deleted: ${status}`);
      }),
    ),
  );
}

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('launched', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchForShortVisits();
    onCleanup(() => browser.close());
    return browser;
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('started', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const site = await startSite();
    onCleanup(() => site.stop());
    return site;
  })
  /** The worker's Chromium, for a file with a site of its own. */
  .extend('chromium', { scope: 'file' }, async ({ launched }, { onCleanup }) => {
    onCleanup(() => leaveProfiles(launched));
    return launched;
  })
  /** The worker's site and Chromium. */
  .extend('place', { scope: 'file' }, async ({ started, chromium }) => {
    await eraseEveryone(started);
    return { site: started, browser: chromium };
  })
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('startedBehindLine', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const started = await startSiteBehindLine();
    onCleanup(async () => {
      await started.site.stop();
      await started.line.close();
    });
    return started;
  })
  /** The worker's site behind a line, which is as fast as it can be and has passed nothing yet. */
  .extend('behindLine', { scope: 'file' }, async ({ startedBehindLine, chromium }) => {
    const { line, site } = startedBehindLine;
    line.limit(null);
    line.limitAnswers(null);
    line.treatSockets('pass');
    await eraseEveryone(site);
    line.forget();
    return { line, site, browser: chromium };
  });
