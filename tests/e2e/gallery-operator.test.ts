import { afterAll, describe } from 'vitest';
import { test } from '../support/browser.ts';
import type { World } from '../support/gallery/sample-world.ts';
import { openTours, type Tour, type Tours } from '../support/gallery/tour.ts';
import * as abuse from '../support/gallery/tour-abuse.ts';
import { startSite } from '../support/site.ts';

/** Every screen of a reporter and of the operator, in every state (tests/support/gallery/tour.ts). */

let tours: Tours;
let world: World;
test.beforeAll(async ({ chromium }) => {
  const site = await startSite({ env: { OPERATOR_DISCORD_IDS: JONAS, ALLOWED_DISCORD_IDS: AVA, ...FOOT } });
  tours = await openTours({ site, browser: chromium }, 'operator', ['sealed']);
  ({ world } = tours);
});
afterAll(() => world?.site.stop());

const tourAsVisitor = (steps: (tour: Tour) => Promise<void>) => tours.asVisitor(steps);
/** All that the foot of each page may link to. */
const FOOT = {
  SOURCE_URL: 'https://example.org/source',
  DOCS_URL: 'https://example.org/docs',
  TERMS_URL: 'https://example.org/terms',
  CONTACT_URL: 'mailto:people@example.org',
  STATUS_URL: 'https://example.org/status',
};
/** The sandbox's ids of the operator and of the folder's owner: the people of a site for certain accounts. */
const JONAS = '318264905173434370';
const AVA = '147382950617284611';

describe('for a reporter and the operator', () => {
  const tourAsOperator = (steps: (tour: Tour) => Promise<void>) => tours.as(world.viewer, steps);

  test('the empty operator’s page, and a key for it', () => tourAsOperator(abuse.tourNewOperator));

  test('the sign-in of a site for certain accounts', () => tourAsVisitor(abuse.tourAdmission));

  test('a report', () => tourAsVisitor((tour) => abuse.tourReport(tour, world)));

  test('the operator’s actions on it', () => tourAsOperator(abuse.tourOperator));

  test('a folder that was taken down', async () => {
    const path = await abuse.takenDownFolder(world);
    await tourAsVisitor(async ({ visitor, visit }) => {
      visitor.allow(/status of 410/);
      await visit('folder-taken-down', path, 'This folder was taken down');
    });
  });
});
