import { personas } from '@satchel/discord-sandbox/personas/personas';
import pg from 'pg';
import type { Browser } from 'playwright-core';
import { test as base, beforeEach } from 'vitest';
import { launchForShortVisits } from './browser.ts';
import { startSiteBehindLine } from './line.ts';
import { patiently, signIn } from './people.ts';
import { type Site, startSite } from './site.ts';

/**
 * What the test files of one worker share: a site with its sandbox, and a Chromium. A file begins with people who have
 * nothing, and leaves no page behind. It takes its own site (`startSite`) where it sets it up otherwise, ends or
 * starts it, or counts what the whole of it holds.
 */

/** Deletes the data of earlier test files on the site, through the people's own calls. */
export async function eraseEveryone(site: Site): Promise<void> {
  const client = new pg.Client({ connectionString: site.databaseUrl });
  await client.connect();
  const { rows } = await client.query('select discord_id from profiles').finally(() => client.end());
  const ids = new Set(rows.map(({ discord_id }) => discord_id));
  const erase = async (persona: string) => {
    const person = await signIn(site, persona);
    const { status } = await person.call('DELETE', '/rest/v1/profiles/me');
    if (status !== 204) throw new Error(`${persona} could not be deleted: ${status}`);
  };
  const known = personas.filter(({ user }) => ids.has(user.id));
  await Promise.all(known.map(({ name }) => patiently(() => erase(name))));
}

/** Ends the visits of a browser. A server that stops waits for the answers that it is still sending to them. */
export async function endVisits(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what the fixture needs
  .extend('launched', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchForShortVisits();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('started', { scope: 'worker' }, async ({ launched }, { onCleanup }) => {
    const site = await startSite();
    onCleanup(async () => {
      await endVisits(launched);
      await site.stop();
    });
    return site;
  })
  /** The worker's Chromium, for a file with its own site. */
  .extend('chromium', { scope: 'file' }, async ({ launched }, { onCleanup }) => {
    onCleanup(() => endVisits(launched));
    return launched;
  })
  /** The worker's site and Chromium. */
  .extend('place', { scope: 'file' }, async ({ started, chromium }) => {
    await eraseEveryone(started);
    return { site: started, browser: chromium };
  })
  /** A site behind a line. */
  .extend('startedBehindLine', { scope: 'worker' }, async ({ launched }, { onCleanup }) => {
    const started = await startSiteBehindLine();
    onCleanup(async () => {
      await endVisits(launched);
      await started.site.stop();
      await started.line.close();
    });
    return started;
  })
  /** The worker's site behind a line, which passes all, and has passed nothing yet. */
  .extend('behindLine', { scope: 'file' }, async ({ startedBehindLine, chromium }) => {
    const { line, site } = startedBehindLine;
    line.hold(null);
    line.holdAnswers(null);
    line.treatSockets('pass');
    line.goAway(false);
    await eraseEveryone(site);
    line.forget();
    return { line, site, browser: chromium };
  });

/** For a file, or a `describe`, whose tests build on each other: once one of them failed, the others are not run. */
export function inOrder(): void {
  let isBroken = false;
  beforeEach(({ skip, onTestFailed }) => {
    skip(isBroken, 'not run: an earlier test of this story failed');
    onTestFailed(() => {
      isBroken = true;
    });
  });
}
