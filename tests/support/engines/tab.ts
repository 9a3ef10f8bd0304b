import type { Locator, Page } from 'playwright-core';

/** The part of Playwright's interface that tests of all engines use. */

type Role = Parameters<Page['getByRole']>[0];

/** The part of a locator's interface that finds others. As in Playwright, a text is a part of what is meant, in any case. */
interface Finding {
  getByRole(role: Role, options?: { name?: string | RegExp; exact?: boolean }): Found;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Found;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Found;
  locator(selector: string): Found;
}

/** What matches at the moment it is asked for. Acts wait until it is one element that can be acted on. */
export interface Found extends Finding {
  filter(options: { hasText: string | RegExp }): Found;
  first(): Found;
  click(): Promise<void>;
  check(): Promise<void>;
  /** Types into an empty field. Of what Playwright fills in by WebDriver BiDi, React hears nothing. */
  pressSequentially(text: string): Promise<void>;
  setInputFiles(paths: readonly string[]): Promise<void>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  waitFor(options?: { state?: 'attached' | 'detached' | 'visible' }): Promise<void>;
  evaluate: Locator['evaluate'];
}

/** A tab. */
export interface Tab extends Finding {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string | Promise<string>;
  waitForURL(url: string | RegExp | ((url: URL) => boolean)): Promise<void>;
  evaluate: Page['evaluate'];
  readonly keyboard: { press(key: string): Promise<void> };
  screenshot(options: { path: string }): Promise<unknown>;
  bringToFront(): Promise<void>;
  close(): Promise<void>;
}

/** A person's browser with nothing in it. */
export interface EngineVisitor {
  readonly page: Tab;
  newTab(): Promise<Tab>;
  /** The file that the browser saves by what `start` does, once it is whole. */
  saved(start: () => Promise<unknown>): Promise<Buffer>;
  /** What the browser's console has of errors, warnings and refusals, except what `allow` names. */
  problems(): readonly string[];
  allow(pattern: RegExp): void;
  close(): Promise<void>;
}
