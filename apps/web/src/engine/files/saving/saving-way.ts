import { MIB } from '@satchel/contract/limits';
import { serviceWorkers } from '../../../lib/base/device.ts';
import type { FileItem } from '../file-model.ts';

/** How opened files leave this browser, and how large they may be: shown before a click (docs/browsers.md has the table). */

export interface Saving {
  /**
   * `worker`: the service worker streams it into a download. `picker`: the page writes it to the place that the person picks
   * (File System Access). `memory`: the page opens all of it, and has the browser save that.
   */
  readonly way: 'worker' | 'picker' | 'memory';
  /** The largest encrypted file, in bytes; null for no limit. */
  readonly fileLimitBytes: number | null;
  /** The most stored bytes of one zip; null for no limit. */
  readonly zipLimitBytes: number | null;
  /** Whether the browser lets the page know when it can't write all of a file. Else the page offers to compare. */
  readonly isTold: boolean;
}

const IN_MEMORY_MAX_BYTES = 256 * MIB;
/** Safari on phones and tablets ends a tab that holds some 200 MB (jimmywarting/StreamSaver.js#373). */
const IN_APPLE_MOBILE_MAX_BYTES = 192 * MIB;

export type Device = Pick<Navigator, 'userAgent' | 'platform' | 'maxTouchPoints' | 'vendor'> & {
  /** Of Safari alone: the site runs as an app of the home screen. */
  readonly standalone?: boolean;
};

/** Tablets say that they are a Mac; no Mac has a touch screen. */
const isAppleMobile = ({ userAgent, platform, maxTouchPoints }: Device): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (platform === 'MacIntel' && maxTouchPoints > 1);

/**
 * Whether the page is inside an app, such as Discord, that shows pages itself. On iOS such a view says that it is WebKit and not
 * that it is Safari, on Android `wv`; whether anything can be saved there is up to the app.
 */
export const isInsideApp = (device: Device = navigator): boolean =>
  /; wv\)|\bDiscord\b|\bFBA[NV]\b|\bInstagram\b/.test(device.userAgent) ||
  (isAppleMobile(device) && device.standalone !== true && !/Safari\//.test(device.userAgent));

/** How much may be opened at once: opened files are in memory here, or close to it. */
export const memoryLimitBytes = (device: Device = navigator): number =>
  isAppleMobile(device) ? IN_APPLE_MOBILE_MAX_BYTES : IN_MEMORY_MAX_BYTES;

/**
 * How files are saved here.
 * @param hasWorker whether a service worker can serve this page
 */
export function savingWay(hasWorker: boolean, hasPicker = canPick(), device: Device = navigator): Saving {
  const limitBytes = memoryLimitBytes(device);
  // An app of the home screen has no downloads: the address of one would replace the page, which has no way back.
  if (hasWorker && device.standalone !== true) {
    return {
      way: 'worker',
      fileLimitBytes: null,
      zipLimitBytes: isAppleMobile(device) ? limitBytes : null,
      // iOS 18.2 and 18.3 cut downloads of a service worker, and called them finished (WebKit/WebKit#41998).
      isTold: !/^Apple/.test(device.vendor),
    };
  }
  if (hasPicker) return { way: 'picker', fileLimitBytes: null, zipLimitBytes: null, isTold: true };
  return { way: 'memory', fileLimitBytes: limitBytes, zipLimitBytes: limitBytes, isTold: false };
}

const canPick = (): boolean => 'showSaveFilePicker' in globalThis;

/** Before it is known whether the service worker starts. */
export const likelySaving = (): Saving => savingWay(serviceWorkers() !== null);

/** Whether something of these files can't be saved here, which the page says before a click. */
export const isLimitedHere = (
  files: readonly Pick<FileItem, 'proof' | 'sizeBytes'>[],
  { fileLimitBytes }: Saving,
): boolean =>
  files.length > 0 &&
  (isInsideApp() ||
    (fileLimitBytes !== null && files.some(({ proof, sizeBytes }) => proof !== null && sizeBytes > fileLimitBytes)));
