import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, type Visitor, visit } from '../browser.ts';
import type { Site } from '../site.ts';
import { type Gallery, openGallery } from './gallery.ts';
import { type LinkName, makeWorld, type World } from './sample-world.ts';

/**
 * Every screen in every state, from the real app: a picture of each look, and no axe violation, console error,
 * horizontal scroll or untranslated text. The pictures are in GALLERY_DIR, else in test-results/gallery.
 */

const PICTURES = process.env.GALLERY_DIR ?? join(import.meta.dirname, '../../../test-results/gallery');

/** Visits the states of the world, takes their pictures, and collects their faults. */
export interface Tour {
  readonly visitor: Visitor;
  readonly page: Page;
  /** Goes to an address of the site, waits for a text, and takes its pictures. */
  visit(name: string, path: string, text: string | RegExp): Promise<void>;
  /** Goes to an address of the site and waits for a text. */
  go(path: string, text: string | RegExp): Promise<void>;
  /**
   * The same within the open page, as a link of the site does: what has been loaded stays, which is most of what a state
   * costs. The text must not be on the page already.
   */
  follow(path: string, text: string | RegExp): Promise<void>;
  /** Takes pictures of the page in its present state. */
  look(name: string): Promise<void>;
}

export const shown = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

/** Answers requests under a path instead of the server while `steps` run. */
export async function during(
  page: Page,
  path: string,
  answer: (route: Route) => unknown,
  steps: () => Promise<void>,
): Promise<void> {
  const isMeant = (url: URL) => url.pathname.startsWith(path);
  await page.route(isMeant, answer);
  await steps();
  await page.unroute(isMeant);
}

export const serverError = (route: Route): Promise<void> => route.fulfill({ status: 500, json: {} });
/** Never answered; Playwright drops it on the next navigation. */
export const silence = (): undefined => undefined;
/** An address without a response: the page stays as it is. */
export const nowhere = (route: Route): Promise<void> => route.fulfill({ status: 204 });

export const withTab = (link: string, tab: string): string => link.replace(/(?=#|$)/, `?tab=${tab}`);

/** The tours of a world; each fails if any picture has a fault. */
export interface Tours {
  readonly world: World;
  readonly gallery: Gallery;
  as(visitor: Visitor, steps: (tour: Tour) => Promise<void>): Promise<void>;
  /** A tour by a new person. */
  asVisitor(steps: (tour: Tour) => Promise<void>): Promise<void>;
}

/**
 * Makes a world on the site for the tours of one file.
 * @param name of the folder of its pictures
 * @param wanted the folders of its world
 * @param data texts of the tests themselves, beside the world's
 */
export async function openTours(
  place: { readonly site: Site; readonly browser: Browser },
  name: string,
  wanted: readonly LinkName[],
  data: readonly string[] = [],
): Promise<Tours> {
  const { site, browser } = place;
  const world = await makeWorld(place, wanted);
  const gallery = await openGallery(join(PICTURES, name), [...world.data, ...data]);

  async function tourAs(visitor: Visitor, steps: (tour: Tour) => Promise<void>): Promise<void> {
    const { page } = visitor;
    const faults: string[] = [];
    const look = async (name: string) => {
      faults.push(...(await gallery.look(page, name)));
    };
    const go = async (path: string, text: string | RegExp) => {
      await visit(page, new URL(path, site.url).href);
      await shown(page, text);
    };
    const follow = async (path: string, text: string | RegExp) => {
      const { href } = new URL(path, site.url);
      const isFollowed = await page.evaluate((address) => {
        const isSite = document.querySelector('main') !== null;
        if (isSite) history.pushState(null, '', address);
        return isSite;
      }, href);
      if (!isFollowed) await page.goto(href);
      await shown(page, text);
    };
    const tell = async (name: string, path: string, text: string | RegExp) => {
      await go(path, text);
      await look(name);
    };
    await steps({ visitor, page, look, go, follow, visit: tell });
    expect([...faults, ...visitor.problems()]).toEqual([]);
  }

  return {
    world,
    gallery,
    as: tourAs,
    async asVisitor(steps) {
      const visitor = await newVisitor(browser);
      await tourAs(visitor, steps);
      await visitor.close();
    },
  };
}
