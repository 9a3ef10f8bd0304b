import { SETTINGS_META } from '@satchel/contract/paths';
import type { WebSettings } from '@satchel/contract/wire/web-settings';

/** Reads what our own server wrote into this very document, which is why it is not parsed with a schema (28 KB of zod). */
function readSettings(): WebSettings {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${SETTINGS_META}"]`)?.content;
  return JSON.parse(content ?? 'null') as WebSettings;
}

/** What the server says of its settings; texts and checks read these and assume nothing. */
export const settings: WebSettings = readSettings();
