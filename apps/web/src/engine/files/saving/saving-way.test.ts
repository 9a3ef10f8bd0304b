import { MIB } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { type Device, isInsideApp, memoryLimitBytes, savingWay } from './saving-way.ts';

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = `${WEBKIT} Chrome/156.0.0.0`;
const mac: Device = {
  userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`,
  platform: 'MacIntel',
  maxTouchPoints: 0,
  vendor: 'Apple Computer, Inc.',
};
const pad: Device = { ...mac, maxTouchPoints: 5 };
const phone: Device = {
  ...pad,
  userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
  platform: 'iPhone',
};
const phoneApp = phone.userAgent.replace(/ (Version|Safari)\/\S+/g, '');
const firefox: Device = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
  platform: 'Linux x86_64',
  maxTouchPoints: 0,
  vendor: '',
};
const chrome: Device = {
  ...firefox,
  userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${CHROME} Safari/537.36`,
  vendor: 'Google Inc.',
};

test.each([
  ['Chrome', chrome, true, true, { way: 'worker', fileLimitBytes: null, zipLimitBytes: null, isTold: true }],
  ['Chrome without workers', chrome, false, true, { way: 'picker', fileLimitBytes: null, isTold: true }],
  ['Firefox', firefox, true, false, { way: 'worker', fileLimitBytes: null, zipLimitBytes: null, isTold: true }],
  ['Firefox without workers', firefox, false, false, { way: 'memory', fileLimitBytes: 256 * MIB, isTold: false }],
  ['Safari', mac, true, false, { way: 'worker', fileLimitBytes: null, zipLimitBytes: null, isTold: false }],
  ['Safari without workers', mac, false, false, { way: 'memory', zipLimitBytes: 256 * MIB, isTold: false }],
  ['an iPhone', phone, true, false, { way: 'worker', fileLimitBytes: null, zipLimitBytes: 192 * MIB, isTold: false }],
  ['an iPad', pad, true, false, { way: 'worker', zipLimitBytes: 192 * MIB, isTold: false }],
  ['an iPhone without workers', phone, false, false, { way: 'memory', fileLimitBytes: 192 * MIB, isTold: false }],
  [
    'an app of the home screen, which has no downloads',
    { ...phone, standalone: true },
    true,
    false,
    { way: 'memory', fileLimitBytes: 192 * MIB, zipLimitBytes: 192 * MIB, isTold: false },
  ],
])('how files are saved in %s', (_name, device, hasWorker, hasPicker, saving) => {
  expect(savingWay(hasWorker, hasPicker, device)).toMatchObject(saving);
});

test('no more is opened at once than the browser bears', () => {
  expect([chrome, mac, phone, pad].map((device) => memoryLimitBytes(device) / MIB)).toEqual([256, 256, 192, 192]);
});

test.each([
  ['Safari on an iPhone', phone, false],
  ['Safari on a Mac', mac, false],
  ['Firefox', firefox, false],
  ['Chrome', chrome, false],
  ['an app of the home screen', { ...phone, userAgent: phoneApp, standalone: true }, false],
  ['an app’s view on an iPhone', { ...phone, userAgent: phoneApp }, true],
  [
    'an app’s view on Android',
    { ...chrome, userAgent: `Mozilla/5.0 (Linux; Android 16; Pixel 9 Build/A; wv) ${CHROME} Mobile Safari/537.36` },
    true,
  ],
  ['Discord, which says so', { ...chrome, userAgent: `${chrome.userAgent} Discord/1.0` }, true],
])('whether the page is inside an app: %s', (_name, device, isInside) => {
  expect(isInsideApp(device)).toBe(isInside);
});
