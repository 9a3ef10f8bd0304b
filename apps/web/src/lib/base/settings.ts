import { PATHS } from '@satchel/contract/paths';
import type { WebSettings } from '@satchel/contract/wire/web-settings';
import { fetchEarly } from '../api/early-answers.ts';

/**
 * What the server says of its settings; texts and checks read these and assume nothing. They are there before anything is shown
 * (main.tsx), and not when a module is loaded.
 */
export let settings: WebSettings;

/**
 * Asks for the settings, once more where the answer was lost.
 * @throws what `fetch` throws, or an Error with the status
 */
export async function loadSettings(): Promise<void> {
  const ask = () => fetchEarly(PATHS.settings, { credentials: 'same-origin' });
  const { response } = await ask().catch(ask);
  if (!response.ok) throw new Error(`${response.status}`);
  // Our own server's answer is not parsed with a schema (28 KB of zod).
  settings = await response.json();
}
