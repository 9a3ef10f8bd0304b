import type { Route } from 'playwright-core';
import { during, serverError, type Tour } from './tour.ts';

/** Pages for people who come from Discord. */

const BROUGHT = `/upload#intent=${'i'.repeat(43)}`;
const REDEEM = '/discord/intents/redeem';
const ASKED = {
  intent_id: '7d0c0000-0000-4000-8000-000000000201',
  folder_name: 'Lantern Festival',
  lifetime_hours: 6,
  link_mode: 'private',
};
const refusal = (status: number, code: string, message: string) => (route: Route) =>
  route.fulfill({ status, json: { error: { code, params: {}, message } } });
const OVER = 'This link from Discord is no longer valid. Type /upload there again';

/** The create page, opened by a link of /upload. */
export async function tourIntents({ visitor, page, visit }: Tour): Promise<void> {
  const answered = (answer: (route: Route) => unknown, name: string, text: string | RegExp) =>
    during(page, REDEEM, answer, () => visit(name, BROUGHT, text));
  await answered((route) => route.fulfill({ json: ASKED }), 'create-intent', 'Filled in by /upload.');
  visitor.allow(/status of (403|404|500)/);
  await answered(refusal(404, 'intent.invalid', OVER), 'create-intent-over', /no longer valid/);
  await answered(refusal(403, 'intent.foreign', ''), 'create-intent-foreign', 'Made for another Discord account');
  await answered(serverError, 'create-intent-stuck', 'Something went wrong');
}

/** Share as opened by the bot's link, on a device without a key. */
export async function tourShareWithoutKey({ page, follow, look }: Tour, link: string): Promise<void> {
  await follow(`${new URL(link).pathname}?share=true`, 'This device doesn’t have the key.');
  await look('share-no-key');
  await page.keyboard.press('Escape');
}

/** The setting for a plain folder's name in link previews. */
export async function tourPreviews({ follow, look }: Tour, link: string): Promise<void> {
  await follow(`${new URL(link).pathname}?tab=settings`, 'Show the folder’s name in link previews');
  await look('settings-plain');
}
