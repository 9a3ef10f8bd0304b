import type { AddressInfo } from 'node:net';
import type { AuthorizeOutput } from '@satchel/contract/api';
import { createSandbox } from '@satchel/discord-sandbox/app';
import { findPersona } from '@satchel/discord-sandbox/personas/personas';
import { eq } from 'drizzle-orm';
import { toDiscordUser } from '../../../src/platform/discord/discord-oauth.ts';
import { profiles } from '../../../src/platform/schema/accounts.ts';
import { atEnd } from '../at-end.ts';
import { freePort } from '../free-port.ts';
import { type Account, createTestApp, type TestApp } from '../test-app.ts';

export const CLIENT = { clientId: '100000000000000001', clientSecret: 'the client secret of this test' };

/**
 * The real sandbox on its own port, which redirects to `redirectUri` only.
 * @param bot its private key for interactions, and the bot's token
 */
export async function startSandbox(redirectUri: string, bot: { privateKey?: string; botToken?: string } = {}) {
  const { app } = createSandbox({ ...CLIENT, ...bot, redirectUris: [redirectUri] });
  const revocations: number[] = [];
  app.addHook('onResponse', async (request, reply) => {
    if (request.url.endsWith('/oauth2/token/revoke')) revocations.push(reply.statusCode);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => app.close());
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    origin,
    /** Statuses of the token revocations so far. */ revocations,
    apiUrl: `${origin}/api/v10`,
  };
}

/**
 * Gives an account the avatar and the banner of a persona of the sandbox.
 * @returns the Discord id in the addresses of both
 */
export async function givePictures(app: TestApp, account: Account, persona: string): Promise<string> {
  const user = findPersona(persona)!.user;
  const { discord_id, avatar_url, banner_url } = toDiscordUser(user, app.deps.discord.cdnOrigin);
  await app.database.db.update(profiles).set({ avatar_url, banner_url }).where(eq(profiles.id, account.profile_id));
  return discord_id;
}

/** Sign-ins at the real sandbox, as a browser goes through them. */

export const CALLBACK = '/auth/v1/callback';
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A minimal browser: keeps cookies, follows no redirect. */
export function createBrowser() {
  const jar = new Map<string, string>();
  return {
    jar,
    async get(url: string): Promise<Response> {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { 'user-agent': USER_AGENT, ...(cookie && { cookie }) };
      const response = await fetch(url, { headers, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        const [name = '', ...value] = pair.split('=');
        if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
        else jar.set(name, value.join('='));
      }
      return response;
    },
  };
}
export type Browser = ReturnType<typeof createBrowser>;

/** App and sandbox must know each other's address before they start, so the app's port is chosen here. */
export async function createTestAppWithSandbox(env: Record<string, string> = {}) {
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const sandbox = await startSandbox(publicUrl + CALLBACK);
  const app = await createTestApp({ env: { PORT: String(port), DISCORD_API_URL: sandbox.apiUrl, ...env } });
  return { app, sandbox };
}

export const authorizeAt = (app: TestApp, browser: Browser, query = 'provider=discord') =>
  browser.get(`${app.baseUrl}/auth/v1/authorize?${query}`);
/** Where a sign-in goes on at Discord, as the answer to its beginning says. */
export const discordPageOf = async (begun: Response) => new URL(((await begun.json()) as AuthorizeOutput).url);
export const locationAt = (app: TestApp, response: Response) =>
  new URL(response.headers.get('location') ?? '', app.baseUrl);

/** Consents at Discord as a persona; returns where Discord sends the browser. */
export async function consentAt(app: TestApp, browser: Browser, persona: string): Promise<URL> {
  const discordPage = await discordPageOf(await authorizeAt(app, browser));
  discordPage.searchParams.set('persona', persona);
  return locationAt(app, await createBrowser().get(discordPage.href));
}
