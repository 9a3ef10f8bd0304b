import { personas } from '@satchel/discord-sandbox/personas/personas';
import pg from 'pg';
import type { Browser } from 'playwright-core';
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

/** Vitest kills a worker whose cleanup takes ten seconds, and does not say which part was slow. */
const SLOW_MS = 5_000;

/** Waits for the end of a browser or site; prints its name and last log lines if that takes longer than {@link SLOW_MS}. */
export async function endOf(what: string, end: Promise<unknown>, logs = () => ''): Promise<void> {
  const tell = () => process.stderr.write(`the ${what} of a worker is slow to end\n${logs().slice(-2000)}\n`);
  const timer = setTimeout(tell, SLOW_MS);
  await end.finally(() => clearTimeout(timer));
}

/** Closes the kept profiles, then stops their site: a server that stops waits for the answers that it is still sending. */
async function endSite(site: Site, browser: Browser): Promise<void> {
  await endOf('profiles', Promise.all(browser.contexts().map((context) => context.close())));
  await endOf('site', site.stop(), site.logs);
}

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('launched', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchForShortVisits();
    onCleanup(() => endOf('browser', browser.close()));
    return browser;
  })
  .extend('started', { scope: 'worker' }, async ({ launched }, { onCleanup }) => {
    const site = await startSite();
    onCleanup(() => endSite(site, launched));
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
  .extend('startedBehindLine', { scope: 'worker' }, async ({ launched }, { onCleanup }) => {
    const started = await startSiteBehindLine();
    onCleanup(async () => {
      await endSite(started.site, launched);
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
