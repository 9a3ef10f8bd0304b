import { SETTINGS_META, WebSettings } from '@satchel/contract/api';

/** What the server says of its settings; texts and checks read these and assume nothing (DESIGN R4). */
export const settings: WebSettings = WebSettings.parse(
  JSON.parse(document.querySelector<HTMLMetaElement>(`meta[name="${SETTINGS_META}"]`)?.content ?? 'null'),
);
