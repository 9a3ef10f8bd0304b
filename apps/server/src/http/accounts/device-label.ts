/**
 * How the list of sessions names a device: by browser and system. The User-Agent, with versions and models, is not
 * stored.
 */

// The order matters: most browsers also name their ancestors.
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bDiscord\//, 'Discord'],
  [/\b(Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(OPR|OPiOS|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (Mobile\/\w+ )?Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (names: typeof BROWSERS, userAgent: string) => names.find(([pattern]) => pattern.test(userAgent))?.[1];

/**
 * "Firefox on Linux", or the known half of it.
 * @returns null if neither is known
 */
export function deviceLabel(userAgent: string): string | null {
  const [browser, system] = [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)];
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}
