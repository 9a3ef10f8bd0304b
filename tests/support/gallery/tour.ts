import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, type Visitor } from '../browser/browser.ts';
import { visit } from '../browser/folder-page.ts';
import type { World } from '../browser/world.ts';
import type { Gallery } from './gallery.ts';

/** Visits the states of the world, takes their pictures, and collects their faults. */
export interface Tour {
  readonly visitor: Visitor;
  readonly page: Page;
  /** Goes to an address of the site, waits for a text, and takes its pictures. */
  visit(name: string, path: string, text: string | RegExp): Promise<void>;
  /** Goes to an address of the site and waits for a text. */
  go(path: string, text: string | RegExp): Promise<void>;
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

/** Runs the tours of a world, and fails if any picture has a fault. */
export function tourGuide({ site, browser }: World, gallery: Gallery) {
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
    const tell = async (name: string, path: string, text: string | RegExp) => {
      await go(path, text);
      await look(name);
    };
    await steps({ visitor, page, look, go, visit: tell });
    expect([...faults, ...visitor.problems()]).toEqual([]);
  }

  return {
    tourAs,
    /** A tour by a new person, in a fresh profile. */
    async tourAsVisitor(steps: (tour: Tour) => Promise<void>): Promise<void> {
      const visitor = await newVisitor(browser);
      await tourAs(visitor, steps);
      await visitor.close();
    },
  };
}
