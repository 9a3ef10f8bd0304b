import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { newVisitor, type Visitor } from './browser.ts';
import type { Gallery } from './gallery.ts';
import type { World } from './world.ts';

/** A walk through the world that takes pictures on the way and remembers what was wrong. */
export interface Tour {
  readonly visitor: Visitor;
  readonly page: Page;
  /** Goes to an address of the site, waits for a text, and takes its pictures. */
  visit(name: string, path: string, text: string | RegExp): Promise<void>;
  /** Goes to an address of the site and waits for a text. */
  go(path: string, text: string | RegExp): Promise<void>;
  /** Takes pictures of the page as it stands. */
  look(name: string): Promise<void>;
}

export const shown = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).filter({ visible: true }).first().waitFor();

/** Answers what begins with a path in the server's place while `steps` run. */
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
/** Never answered; Playwright drops it when the page goes on. */
export const silence = (): undefined => undefined;
/** An address that leads nowhere: the page stays what it is. */
export const nowhere = (route: Route): Promise<void> => route.fulfill({ status: 204 });

/** Guides people through a world and fails when anything was wrong on the way. */
export function tourGuide({ site, browser }: World, gallery: Gallery) {
  async function tourAs(visitor: Visitor, steps: (tour: Tour) => Promise<void>): Promise<void> {
    const { page } = visitor;
    const faults: string[] = [];
    const look = async (name: string) => {
      faults.push(...(await gallery.look(page, name)));
    };
    const go = async (path: string, text: string | RegExp) => {
      // Leaving first makes a change of the fragment alone a visit, too.
      await page.goto('about:blank');
      await page.goto(new URL(path, site.url).href);
      await shown(page, text);
    };
    const visit = async (name: string, path: string, text: string | RegExp) => {
      await go(path, text);
      await look(name);
    };
    await steps({ visitor, page, look, go, visit });
    expect([...faults, ...visitor.problems()]).toEqual([]);
  }

  return {
    tourAs,
    /** A tour by somebody new, in a profile of their own. */
    async tourAsVisitor(steps: (tour: Tour) => Promise<void>): Promise<void> {
      const visitor = await newVisitor(browser);
      await tourAs(visitor, steps);
      await visitor.close();
    },
  };
}
