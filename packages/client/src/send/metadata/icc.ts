import { type Bytes, bytesOf, joined, textOf, uint32, viewOf } from './byte-reader.ts';

/**
 * ICC profiles (ICC.1:2022). A profile that a maker wrote names the device and often its serial number: macOS does so in each
 * screenshot. What computes colours is kept; names, texts, dates, makers' own tags and the measurements of the device go.
 */

/** A profile that takes more is none that belongs to a picture. */
export const PROFILE_MAX_BYTES = 4 * 1024 * 1024;
const HEADER_BYTES = 128;
const ENTRY_BYTES = 12;
const TAGS_MAX = 200;

/** Devices and colour spaces; links between two profiles and lists of named colours belong to no picture. */
const KEPT_CLASS = /^(mntr|scnr|prtr|spac)$/;
const KEPT_TAG = /^(wtpt|bkpt|chad|chrm|cicp|[rgbk]TRC|[rgb]XYZ|(A2B|B2A|D2B|B2D)[0-3])$/;

/** Fields of the header that colours depend on: version, class, colour spaces, signature, flags, attributes, intent, white. */
const KEPT_FIELDS = [
  [8, 24],
  [36, 40],
  [44, 48],
  [56, 80],
] as const;
const DATE_AT = 24;
/** A date has to stand there: 2000-01-01. */
const DATE = Uint8Array.of(0x07, 0xd0, 0, 1, 0, 1);

const PARAMETERS = [1, 3, 4, 5, 7];

/** How many bytes an element of a tag has by its own type; null for a type that computes no colour. */
function lengthOf(data: Uint8Array): number | null {
  const view = viewOf(data);
  const [inputs, outputs, points] = [data[8] ?? 0, data[9] ?? 0, data[10] ?? 0];
  switch (textOf(data.subarray(0, 4))) {
    case 'XYZ ':
      return 20;
    case 'sf32':
      return 44;
    case 'cicp':
      return 12;
    case 'chrm':
      return 12 + 8 * view.getUint16(8);
    case 'curv':
      return 12 + 2 * view.getUint32(8);
    case 'para':
      return 12 + 4 * (PARAMETERS[view.getUint16(8)] ?? 0);
    case 'mft1':
      return 48 + 256 * inputs + points ** inputs * outputs + 256 * outputs;
    case 'mft2':
      return 52 + 2 * (view.getUint16(48) * inputs + points ** inputs * outputs + view.getUint16(50) * outputs);
    case 'mAB ':
    case 'mBA ':
    case 'mpet':
      return data.length;
    default:
      return null;
  }
}

/** The smallest element that says how long it is. */
const ELEMENT_MIN_BYTES = 12;

/** An element without what may stand in its reserved bytes, and behind its end. */
function elementAt(profile: Uint8Array, offset: number, size: number): Bytes | null {
  if (offset < HEADER_BYTES || size < ELEMENT_MIN_BYTES || offset + size > profile.length) return null;
  const data = profile.slice(offset, offset + size);
  if (/^mft/.test(textOf(data.subarray(0, 4))) && size < 52) return null;
  const length = lengthOf(data);
  if (length === null || length > size) return null;
  data.fill(0, 4, 8);
  return data.slice(0, length);
}

type Element = readonly [tag: string, data: Bytes];

/** Null for a profile that a decoder could not use either. */
function elementsOf(profile: Uint8Array): Element[] | null {
  const view = viewOf(profile);
  const count = view.getUint32(HEADER_BYTES);
  if (count > TAGS_MAX || HEADER_BYTES + 4 + ENTRY_BYTES * count > profile.length) return null;
  const elements: Element[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = HEADER_BYTES + 4 + ENTRY_BYTES * index;
    const tag = textOf(profile.subarray(at, at + 4));
    if (!KEPT_TAG.test(tag)) continue;
    const data = elementAt(profile, view.getUint32(at + 4), view.getUint32(at + 8));
    if (data === null) return null;
    elements.push([tag, data]);
  }
  return elements.length > 0 ? elements : null;
}

/** Each profile has to have a description and a copyright. */
const TEXT = 'Profile';
const UTF16 = bytesOf([...TEXT].map((character) => `\0${character}`).join(''));
const LOCALIZED = joined(
  bytesOf('mluc'),
  uint32(0),
  uint32(1),
  uint32(12),
  bytesOf('enUS'),
  uint32(UTF16.length),
  uint32(28),
  UTF16,
);
const DESCRIPTION = joined(
  bytesOf('desc'),
  uint32(0),
  uint32(TEXT.length + 1),
  bytesOf(`${TEXT}\0`),
  new Uint8Array(78),
);
const COPYRIGHT = joined(bytesOf('text'), uint32(0), bytesOf(`${TEXT}\0`));

const textsOf = (version: number): Element[] =>
  version >= 4
    ? [
        ['desc', LOCALIZED],
        ['cprt', LOCALIZED],
      ]
    : [
        ['desc', DESCRIPTION],
        ['cprt', COPYRIGHT],
      ];

/** @param sizeBytes null for as many as it takes; null comes back where it does not fit */
function layOut(profile: Uint8Array, elements: readonly Element[], sizeBytes: number | null): Bytes | null {
  const header = new Uint8Array(HEADER_BYTES);
  for (const [start, end] of KEPT_FIELDS) header.set(profile.subarray(start, end), start);
  header.set(DATE, DATE_AT);
  const entries: Bytes[] = [];
  const data: Bytes[] = [];
  const places = new Map<string, number>();
  let at = HEADER_BYTES + 4 + ENTRY_BYTES * elements.length;
  for (const [tag, element] of elements) {
    // Red, green and blue often share a curve.
    const name = element.length > 4096 ? tag : element.join();
    const known = places.get(name);
    entries.push(joined(bytesOf(tag), uint32(known ?? at), uint32(element.length)));
    if (known !== undefined) continue;
    places.set(name, at);
    const padded = new Uint8Array(Math.ceil(element.length / 4) * 4);
    padded.set(element);
    data.push(padded);
    at += padded.length;
  }
  if (sizeBytes !== null && at > sizeBytes) return null;
  const size = sizeBytes ?? at;
  header.set(uint32(size));
  return joined(header, uint32(elements.length), ...entries, ...data, new Uint8Array(size - at));
}

/**
 * The profile with nothing but what computes colours; null where nothing is left of it, or it can't be read.
 * @param isSameSize for a profile that lies where nothing may move: the rest is filled with zeros
 */
export function cleanProfile(profile: Uint8Array, isSameSize = false): Bytes | null {
  if (profile.length < HEADER_BYTES + 4 || profile.length > PROFILE_MAX_BYTES) return null;
  if (textOf(profile.subarray(36, 40)) !== 'acsp' || !KEPT_CLASS.test(textOf(profile.subarray(12, 16)))) return null;
  const elements = elementsOf(profile);
  if (elements === null) return null;
  const all = [...textsOf(profile[8] ?? 0), ...elements];
  if (!isSameSize) return layOut(profile, all, null);
  return layOut(profile, all, profile.length) ?? layOut(profile, elements, profile.length);
}

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
