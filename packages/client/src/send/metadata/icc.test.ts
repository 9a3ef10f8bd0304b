import { describe, expect, test } from 'vitest';
import { bytesOf, joined, textOf, viewOf } from './byte-reader.ts';
import { cleanProfile } from './icc.ts';
import { CLEAN_PROFILE, COLOURS, displayProfile, SECRET, uint } from './test-pictures.ts';

/** The elements of a profile, by their tags. */
function elementsOf(profile: Uint8Array): Readonly<Record<string, Uint8Array>> {
  const view = viewOf(profile);
  const entries = Array.from({ length: view.getUint32(128) }, (_, index) => {
    const at = 132 + 12 * index;
    const start = view.getUint32(at + 4);
    return [textOf(profile.subarray(at, at + 4)), profile.slice(start, start + view.getUint32(at + 8))] as const;
  });
  return Object.fromEntries(entries);
}

/** A profile with other elements. */
function withElements(elements: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const all = Object.entries(elements);
  let at = 132 + 12 * all.length;
  const entries = all.map(([tag, { length }]) => {
    at += length;
    return joined(bytesOf(tag), uint(at - length, 4), uint(length, 4));
  });
  return joined(displayProfile().subarray(0, 128), uint(all.length, 4), ...entries, ...Object.values(elements));
}

describe.each([2, 4])('A profile of version %i', (version) => {
  const clean = cleanProfile(displayProfile(version)) ?? new Uint8Array(0);

  test('tells of no device, and computes the same colours', () => {
    const { desc: _desc, cprt: _cprt, gTRC, bTRC, ...colours } = elementsOf(clean);
    expect(colours).toEqual(COLOURS);
    expect([gTRC, bTRC]).toEqual([COLOURS.rTRC, COLOURS.rTRC]);
    const text = textOf(clean);
    for (const word of [SECRET, 'DELL', 'APPL', 'appl', 'mmod', 'vcgt', 'dmnd', 'dmdd', 'ndin']) {
      expect(text).not.toContain(word);
    }
    expect(text.slice(12, 24)).toBe('mntrRGB XYZ ');
    expect(clean.subarray(64, 80)).toEqual(displayProfile().subarray(64, 80));
  });

  test('that is clean stays as it is', () => {
    expect(cleanProfile(clean)).toEqual(clean);
  });
});

test('A profile is as large as before where nothing may move, and zeros take the place of what goes', () => {
  const profile = displayProfile();
  const same = cleanProfile(profile, true) ?? new Uint8Array(0);
  expect([same.length, viewOf(same).getUint32(0)]).toEqual([profile.length, profile.length]);
  expect(same.subarray(4, CLEAN_PROFILE.length)).toEqual(CLEAN_PROFILE.subarray(4));
  expect(same.subarray(CLEAN_PROFILE.length).every((byte) => byte === 0)).toBe(true);
});

test('A profile without the texts that it should have is cleaned within its own size, too', () => {
  const bare = withElements(COLOURS);
  expect(elementsOf(cleanProfile(bare, true) ?? bare)).toEqual(COLOURS);
});

test('What stands in reserved bytes and behind the end of an element goes, too', () => {
  const padded = joined(COLOURS.wtpt!.subarray(0, 4), bytesOf('4711'), COLOURS.wtpt!.subarray(8), bytesOf(SECRET));
  expect(elementsOf(cleanProfile(withElements({ ...COLOURS, wtpt: padded })) ?? padded).wtpt).toEqual(COLOURS.wtpt);
});

test('Tables of colours stay, as long as they say themselves to be', () => {
  const table = (type: string, length: number, head: readonly number[]) => {
    const bytes = new Uint8Array(length).fill(7);
    bytes.set(bytesOf(type));
    bytes.fill(0, 4, 8);
    bytes.set(head, 8);
    return bytes;
  };
  const small = table('mft1', 48 + 256 * 3 + 2 ** 3 * 3 + 256 * 3, [3, 3, 2]);
  const large = table('mft2', 52 + 2 * (2 * 3 + 2 ** 3 * 3 + 2 * 3), [3, 3, 2]);
  large.set([0, 2, 0, 2], 48);
  const profile = withElements({ A2B0: joined(small, bytesOf(SECRET)), B2A0: joined(large, bytesOf(SECRET)) });
  const { A2B0, B2A0 } = elementsOf(cleanProfile(profile) ?? profile);
  expect([A2B0, B2A0]).toEqual([small, large]);
});

test.each([
  ['is cut off', displayProfile().subarray(0, 200)],
  ['has elements beyond its end', displayProfile().subarray(0, 700)],
  ['is none', new Uint8Array(500)],
  ['computes no colour', withElements({ desc: bytesOf('desc and more') })],
  ['has a number where a curve should be', withElements({ ...COLOURS, rTRC: bytesOf('text\0\0\0\0and more') })],
  ['has a curve longer than itself', withElements({ ...COLOURS, rTRC: joined(bytesOf('curv\0\0\0\0'), uint(99, 4)) })],
  ['promises more elements than it has bytes', joined(displayProfile().subarray(0, 128), uint(0xffff_ffff, 4))],
])('A profile that %s is left out', (_what, profile) => {
  expect(cleanProfile(profile)).toBeNull();
});
