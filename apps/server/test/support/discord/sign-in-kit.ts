import { freePort } from '../free-port.ts';
import { startSandbox } from '../sandbox.ts';
import { createTestApp, type TestApp } from '../test-app.ts';

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
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

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
export const locationAt = (app: TestApp, response: Response) =>
  new URL(response.headers.get('location') ?? '', app.baseUrl);

/** Consents at Discord as a persona; returns where Discord sends the browser. */
export async function consentAt(app: TestApp, browser: Browser, persona: string): Promise<URL> {
  const discordPage = locationAt(app, await authorizeAt(app, browser));
  discordPage.searchParams.set('persona', persona);
  return locationAt(app, await createBrowser().get(discordPage.href));
}
