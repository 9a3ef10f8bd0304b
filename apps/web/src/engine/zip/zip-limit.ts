import { MIB } from '@satchel/contract/limits';

/** How much fits into one zip here; shown before the click (DESIGN-UX §7.9). */

/** Without a service worker the whole zip is in memory before it is saved. */
const IN_MEMORY_MAX_BYTES = 256 * MIB;
/** Safari on phones and tablets is reported to crash when some 200 MB are held in memory. */
const APPLE_MOBILE_MAX_BYTES = 192 * MIB;

type Device = Pick<Navigator, 'userAgent' | 'platform' | 'maxTouchPoints'>;

/** Tablets say that they are a Mac; no Mac has a touch screen. */
export const isAppleMobile = ({ userAgent, platform, maxTouchPoints }: Device): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (platform === 'MacIntel' && maxTouchPoints > 1);

/**
 * The most stored bytes that go into one zip here, or null for no limit.
 * @param streams whether a service worker can stream it out
 */
export function zipLimitBytes(streams: boolean, device: Device = navigator): number | null {
  if (isAppleMobile(device)) return APPLE_MOBILE_MAX_BYTES;
  return streams ? null : IN_MEMORY_MAX_BYTES;
}
