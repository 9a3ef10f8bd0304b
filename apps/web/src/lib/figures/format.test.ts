import { i18n } from '@lingui/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ERROR_TEXTS } from '../../locales/de/errors.ts';
import {
  bytes,
  countdown,
  countdownSpoken,
  hoursText,
  limitText,
  localDate,
  megabytes,
  partName,
  timeAgo,
} from './format.ts';

const HOUR_MS = 3_600_000;

describe('sizes', () => {
  test.each([
    [0, '0 Bytes'],
    [1, '1 Bytes'],
    [1023, '1023 Bytes'],
    [1024, '1.00 KB'],
    [2_527_068, '2.41 MB'],
    [1023.99 * 1024 ** 2, '1023.99 MB'],
    [1024 ** 3 - 62, '1.00 GB'],
    [1024 ** 3, '1.00 GB'],
    [5000 * 1024 ** 3, '5000.00 GB'],
  ])('%d bytes read %s', (sizeBytes, text) => expect(bytes(sizeBytes)).toBe(text));

  test('a part of a whole has the unit of the whole where four digits would stand before its point', () => {
    const [mb, gb] = [1024 ** 2, 1024 ** 3];
    expect([bytes(1010.85 * mb, gb), bytes(900 * mb, gb), bytes(1010.85 * mb)]).toEqual([
      '0.99 GB',
      '900.00 MB',
      '1010.85 MB',
    ]);
  });

  test('a folder’s own page always has MB', () => {
    expect(megabytes(0)).toBe('0.00 MB');
    expect(megabytes(2 * 1024 ** 3)).toBe('2048.00 MB');
  });

  test.each([
    [100 * 1024 ** 2, '100MB'],
    [1024 ** 3, '1GB'],
    [1.5 * 1024 ** 3, '1.5GB'],
    [512, '512 Bytes'],
  ])('the limit %d reads %s', (sizeBytes, text) => expect(limitText(sizeBytes)).toBe(text));
});

describe('times', () => {
  test.each([
    [24, '24 hours'],
    [1, '1 hour'],
    [0.5, '30 minutes'],
    [48, '48 hours'],
    [168, '7 days'],
    [1.5, '1.5 hours'],
  ])('%d hours read %s', (hours, text) => expect(hoursText(hours)).toBe(text));

  test.each([
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [59_000, '59s'],
    [61_000, '1m 01s'],
    [HOUR_MS, '1h 00m 00s'],
    [15 * HOUR_MS + 42 * 60_000 + 15_000, '15h 42m 15s'],
    [49 * HOUR_MS, '2d 01h 00m 00s'],
  ])('%d ms count down as %s', (leftMs, text) => expect(countdown(leftMs)).toBe(text));

  test.each([
    [0, 'Expired'],
    [30_000, 'less than a minute'],
    [60_000, '1 minute'],
    [23 * HOUR_MS + 12 * 60_000, '23 hours 12 minutes'],
    [50 * HOUR_MS + 60_000, '2 days 2 hours'],
  ])('%d ms are spoken as %s', (leftMs, text) => expect(countdownSpoken(leftMs)).toBe(text));

  test.each([
    [0, 'now'],
    [59_000, 'now'],
    [60_000, '1 minute ago'],
    [5 * HOUR_MS, '5 hours ago'],
    [24 * HOUR_MS, 'yesterday'],
    [-5000, 'now'],
  ])('what was %d ms ago was %s', (passedMs, text) => expect(timeAgo(1e12, 1e12 + passedMs)).toBe(text));
});

describe('a page in German', () => {
  const inGerman = () => i18n.loadAndActivate({ locale: 'de', messages: {} });
  afterEach(() => {
    i18n.activate('en');
    vi.unstubAllGlobals();
  });

  test('has a comma in sizes, and no dots between thousands', () => {
    inGerman();
    expect([bytes(2_527_068), megabytes(1), bytes(1536)]).toEqual(['2,41 MB', '0,00 MB', '1,50 KB']);
    expect(bytes(5000 * 1024 ** 3)).toBe('5000,00 GB');
    expect(limitText(1.5 * 1024 ** 3)).toBe('1,5GB');
  });

  test('has sizes of that form in errors', () => {
    inGerman();
    expect(ERROR_TEXTS['upload.over_quota']({ freeBytes: 10 * 1024 ** 3 })).toContain('10,00 GB');
    expect(ERROR_TEXTS['upload.too_large']({ sizeBytes: 1536, maxBytes: 1024 })).toContain('(1,50 KB)');
  });

  test('says times ago in German', () => {
    inGerman();
    expect(timeAgo(0, 3 * HOUR_MS)).toBe('vor 3 Stunden');
  });

  test('writes dates as the reader’s own region does', () => {
    inGerman();
    const noon = new Date(2026, 0, 14, 12);
    vi.stubGlobal('navigator', { languages: ['en-GB', 'de-AT'] });
    expect(localDate(noon)).toBe('14.01.2026');
    i18n.activate('en');
    expect(localDate(noon)).toBe('14 Jan 2026');
  });
});

describe('shortening the middle of a name', () => {
  const within = (length: number) => (text: string) => Array.from(text).length <= length;

  test('a name that fits stays', () => expect(partName('notes.txt', within(20))).toEqual(['notes.txt', '', '']));

  test('the end and the extension stay readable', () => {
    const parts = ['a-very', '-long-holiday-picture-', '0042.jpeg'];
    expect(partName('a-very-long-holiday-picture-0042.jpeg', within(16))).toEqual(parts);
  });

  test('emoji are never cut in half', () => {
    const parts = partName(`${'🎒'.repeat(30)}.png`, within(12));
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
    expect(parts.join('')).toBe(`${'🎒'.repeat(30)}.png`);
  });
});
