import { deflateSync } from 'node:zlib';
import { type Bytes, bytesOf, joined } from './byte-reader.ts';
import { cleanProfile } from './icc.ts';

/** Pictures made of parts, each with what shall be left of it. Their pixels are noise: no decoder looks at them here. */

/** Stands wherever a maker would be told of. */
export const SECRET = 'SECRET 52.5200 N 13.4050 E, body no. 4711';
const secret = bytesOf(SECRET);

export interface Part {
  readonly bytes: Bytes;
  readonly left: Bytes;
}

const NOTHING = new Uint8Array(0);
export const kept = (bytes: Bytes): Part => ({ bytes, left: bytes });
export const dropped = (bytes: Bytes): Part => ({ bytes, left: NOTHING });
export const fileOf = (parts: readonly Part[], type: string, name = 'photo'): File =>
  new File(
    parts.map(({ bytes }) => bytes),
    name,
    { type, lastModified: 1 },
  );
export const leftOf = (parts: readonly Part[]): Bytes => joined(...parts.map(({ left }) => left));

export const uint = (value: number, length: number, isLittle = false): Bytes => {
  const bytes = Uint8Array.from({ length }, (_, at) => Math.floor(value / 256 ** (length - 1 - at)) % 256);
  return isLittle ? bytes.reverse() : bytes;
};

const s15 = (value: number) => uint((Math.round(value * 65_536) + 2 ** 32) % 2 ** 32, 4);
const xyz = (...values: number[]) => joined(bytesOf('XYZ '), uint(0, 4), ...values.map(s15));
/** Elements by which Display P3 is computed. */
export const COLOURS: Readonly<Record<string, Bytes>> = {
  wtpt: xyz(0.9642, 1, 0.8249),
  rXYZ: xyz(0.51512, 0.2412, -0.00105),
  gXYZ: xyz(0.29198, 0.69225, 0.04189),
  bXYZ: xyz(0.1571, 0.06657, 0.78407),
  rTRC: joined(
    bytesOf('para'),
    uint(0, 4),
    uint(3, 2),
    uint(0, 2),
    ...[2.4, 0.94787, 0.05213, 0.0774, 0.04045].map(s15),
  ),
};
const curve = COLOURS.rTRC ?? new Uint8Array(0);

/** A profile as macOS writes it for a display into each screenshot, with the display's number in several places. */
export function displayProfile(version = 4): Bytes {
  const text = joined(
    bytesOf('mluc'),
    uint(0, 4),
    uint(1, 4),
    uint(12, 4),
    bytesOf('enUS'),
    uint(41, 4),
    uint(28, 4),
    secret,
  );
  const tags: [string, Bytes][] = [
    ['desc', text],
    ['cprt', joined(bytesOf('text'), uint(0, 4), secret)],
    ['dmnd', text],
    ['dmdd', text],
    ['mmod', joined(bytesOf('mmod'), uint(0, 4), secret)],
    ['vcgt', joined(bytesOf('vcgt'), uint(0, 4), secret)],
    ['ndin', joined(bytesOf('ndin'), secret)],
    ...Object.entries(COLOURS),
    ['gTRC', curve],
    ['bTRC', curve],
  ];
  const entries: Bytes[] = [];
  const data: Bytes[] = [];
  let at = 132 + 12 * tags.length;
  for (const [tag, bytes] of tags) {
    const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
    padded.set(bytes);
    entries.push(joined(bytesOf(tag), uint(at, 4), uint(bytes.length, 4)));
    data.push(padded);
    at += padded.length;
  }
  const header = joined(
    ...[uint(at, 4), bytesOf('appl'), Uint8Array.of(version, 0, 0, 0), bytesOf('mntrRGB XYZ '), uint(2024, 2)],
    ...[uint(5, 2), uint(17, 2), uint(9, 2), uint(41, 2), uint(7, 2), bytesOf('acspAPPL'), uint(0, 4)],
    ...[bytesOf('DELL4711'), uint(0, 8), uint(1, 4), xyz(0.9642, 1, 0.8249).subarray(8), bytesOf('appl')],
    ...[uint(4711, 16), new Uint8Array(28)],
  );
  return joined(header, uint(tags.length, 4), ...entries, ...data);
}
export const CLEAN_PROFILE = cleanProfile(displayProfile()) ?? new Uint8Array(0);

/** A TIFF structure as cameras write it, with all that shall go; `orientation` is what shall stay. */
export function cameraExif(orientation: number, isLittle = true): Bytes {
  const number = (value: number, length: number) => uint(value, length, isLittle);
  const entry = (tag: number, type: number, count: number, value: Bytes) =>
    joined(number(tag, 2), number(type, 2), number(count, 4), value, new Uint8Array(4 - value.length));
  const far = (tag: number, type: number, at: number) => entry(tag, type, secret.length, number(at, 4));
  const SECRET_AT = 8;
  const directory = (next: number, ...entries: Bytes[]) =>
    joined(number(entries.length, 2), ...entries, number(next, 4));
  const gps = directory(0, far(2, 7, SECRET_AT));
  const gpsAt = SECRET_AT + secret.length;
  const exif = directory(0, far(0x927c, 7, SECRET_AT), far(0xa431, 2, SECRET_AT));
  const exifAt = gpsAt + gps.length;
  const thumbnail = directory(0, far(0x201, 7, SECRET_AT));
  const thumbnailAt = exifAt + exif.length;
  const first = directory(
    thumbnailAt,
    far(0x10f, 2, SECRET_AT),
    entry(0x112, 3, 1, number(orientation, 2)),
    entry(0x8769, 4, 1, number(exifAt, 4)),
    entry(0x8825, 4, 1, number(gpsAt, 4)),
  );
  const order = bytesOf(isLittle ? 'II' : 'MM');
  const firstAt = thumbnailAt + thumbnail.length;
  return joined(order, number(42, 2), number(firstAt, 4), secret, gps, exif, thumbnail, first);
}

/** Its remains: one directory with one entry. */
export const bareExif = (orientation: number): Bytes =>
  joined(
    bytesOf('II*\0'),
    uint(8, 4, true),
    uint(1, 2, true),
    uint(0x112, 2, true),
    uint(3, 2, true),
    uint(1, 4, true),
    uint(orientation, 2, true),
    new Uint8Array(6),
  );

export const jpegSegment = (marker: number, ...content: Bytes[]): Bytes => {
  const body = joined(...content);
  return joined(Uint8Array.of(0xff, marker), uint(body.length + 2, 2), body);
};

const noise = (length: number): Bytes => Uint8Array.from({ length }, (_, at) => (at * 167 + (at >> 3) * 13) % 256);
/** Entropy-coded bytes: no marker among them, but restarts and stuffed 0xFF. */
const scan = joined(
  jpegSegment(0xda, noise(10)),
  noise(500).map((byte) => (byte === 0xff ? 0x7f : byte)),
);
const restarts = joined(Uint8Array.of(0xff, 0, 1, 2, 0xff, 0xd0, 3, 0xff, 0, 0xff, 0xd7, 4), scan.subarray(14, 200));

/** In segments of a few bytes each, as writers may split it. */
function iccSegments(profile: Bytes, each = 300): Bytes {
  const count = Math.ceil(profile.length / each);
  const segments = Array.from({ length: count }, (_, index) =>
    jpegSegment(
      0xe2,
      bytesOf('ICC_PROFILE\0'),
      Uint8Array.of(index + 1, count),
      profile.slice(index * each, (index + 1) * each),
    ),
  );
  return joined(...segments);
}

export const JPEG = {
  begin: kept(Uint8Array.of(0xff, 0xd8)),
  jfif: kept(jpegSegment(0xe0, bytesOf('JFIF\0\x01\x02\0\0\x01\0\x01\0\0'))),
  jfifWithThumbnail: {
    bytes: jpegSegment(0xe0, bytesOf('JFIF\0\x01\x02\0\0\x01\0\x01\x01\x01abc')),
    left: jpegSegment(0xe0, bytesOf('JFIF\0\x01\x02\0\0\x01\0\x01\0\0')),
  },
  exif: (orientation: number, isLittle = true): Part => ({
    bytes: jpegSegment(0xe1, bytesOf('Exif\0\0'), cameraExif(orientation, isLittle)),
    left: jpegSegment(0xe1, bytesOf('Exif\0\0'), bareExif(orientation)),
  }),
  icc: { bytes: iccSegments(displayProfile()), left: iccSegments(CLEAN_PROFILE, CLEAN_PROFILE.length) },
  cleanIcc: kept(iccSegments(CLEAN_PROFILE)),
  adobe: kept(jpegSegment(0xee, bytesOf('Adobe\0\x64\0\0\0\0\x01'))),
  tables: kept(joined(jpegSegment(0xdb, noise(65)), jpegSegment(0xc0, noise(15)), jpegSegment(0xc4, noise(30)))),
  scan: kept(joined(scan, restarts)),
  end: kept(Uint8Array.of(0xff, 0xd9)),
  /** A second picture with its own Exif data, and a film. */
  trailer: dropped(joined(Uint8Array.of(0xff, 0xd8), jpegSegment(0xe1, bytesOf('Exif\0\0'), cameraExif(1)), secret)),
  metadata: [
    dropped(jpegSegment(0xe1, bytesOf('http://ns.adobe.com/xap/1.0/\0'), secret)),
    dropped(jpegSegment(0xe1, bytesOf('http://ns.adobe.com/xmp/extension/\0'), secret)),
    dropped(jpegSegment(0xe2, bytesOf('MPF\0'), secret)),
    dropped(jpegSegment(0xed, bytesOf('Photoshop 3.0\0'), secret)),
    dropped(jpegSegment(0xe0, bytesOf('JFXX\0'), secret)),
    dropped(jpegSegment(0xeb, bytesOf('JP'), secret)),
    dropped(jpegSegment(0xef, secret)),
    dropped(jpegSegment(0xfe, secret)),
  ],
};

const crcOf = (bytes: Uint8Array): number => {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
};
export const pngChunk = (type: string, data: Bytes): Bytes =>
  joined(uint(data.length, 4), bytesOf(type), data, uint(crcOf(joined(bytesOf(type), data)), 4));

export const PNG = {
  begin: kept(joined(bytesOf('\x89PNG\r\n\x1a\n'), pngChunk('IHDR', noise(13)))),
  colours: [
    kept(pngChunk('gAMA', uint(45_455, 4))),
    kept(pngChunk('pHYs', noise(9))),
    kept(pngChunk('tRNS', noise(3))),
  ],
  profile: {
    bytes: pngChunk('iCCP', joined(bytesOf('Display of Mika\0\0'), Uint8Array.from(deflateSync(displayProfile())))),
    left: pngChunk('iCCP', joined(bytesOf('Profile\0\0'), Uint8Array.from(deflateSync(CLEAN_PROFILE, { level: 0 })))),
  },
  exif: (orientation: number): Part => ({
    bytes: pngChunk('eXIf', cameraExif(orientation, false)),
    left: pngChunk('eXIf', bareExif(orientation)),
  }),
  metadata: [
    dropped(pngChunk('tEXt', joined(bytesOf('Comment\0'), secret))),
    dropped(pngChunk('zTXt', secret)),
    dropped(pngChunk('iTXt', joined(bytesOf('XML:com.adobe.xmp\0'), secret))),
    dropped(pngChunk('tIME', noise(7))),
    dropped(pngChunk('sPLT', joined(secret, bytesOf('\0\x08')))),
    dropped(pngChunk('caBX', secret)),
  ],
  data: kept(joined(pngChunk('IDAT', noise(400)), pngChunk('IDAT', noise(50)))),
  end: kept(pngChunk('IEND', NOTHING)),
  trailer: dropped(secret),
};

export const webpChunk = (type: string, data: Bytes): Bytes =>
  joined(bytesOf(type), uint(data.length, 4, true), data, new Uint8Array(data.length % 2));
const riff = (chunks: Bytes): Bytes =>
  joined(bytesOf('RIFF'), uint(chunks.length + 4, 4, true), bytesOf('WEBP'), chunks);
const extended = (flags: number) => webpChunk('VP8X', joined(Uint8Array.of(flags), noise(9)));
const profiled = (profile: Bytes) => webpChunk('ICCP', profile);
const frames = joined(webpChunk('ALPH', noise(33)), webpChunk('VP8 ', noise(300)));

/** A WebP picture with its metadata, and what shall be left. */
export function webp(orientation: number, prefix = ''): Part {
  const exif = (tiff: Bytes) => webpChunk('EXIF', joined(bytesOf(prefix), tiff));
  const all = [
    extended(0x3c),
    profiled(displayProfile()),
    frames,
    exif(cameraExif(orientation)),
    webpChunk('XMP ', secret),
    webpChunk('abcd', secret),
  ];
  return {
    bytes: joined(riff(joined(...all)), secret),
    left: riff(joined(extended(0x38), profiled(CLEAN_PROFILE), frames, exif(bareExif(orientation)))),
  };
}
export const plainWebp = riff(webpChunk('VP8 ', noise(120)));

export const box = (type: string, ...content: Bytes[]): Bytes => {
  const body = joined(...content);
  return joined(uint(body.length + 8, 4), bytesOf(type), body);
};
const infe = (id: number, type: string, more = NOTHING) =>
  box('infe', Uint8Array.of(2, 0, 0, 0), uint(id, 2), uint(0, 2), bytesOf(`${type}\0`), more);
const zeros = (length: number) => new Uint8Array(length);

export interface HeifOptions {
  readonly brand?: string;
  /** Where the metadata lies: in `mdat`, or in `idat`. */
  readonly inIdat?: boolean;
  readonly orientation?: number;
  /** Replaces the place that `iloc` gives for the Exif item. */
  readonly exifExtent?: readonly [offset: number, length: number];
}

/** A HEIC picture with one coded item, Exif and XMP, and what shall be left: the same boxes, with other words in them. */
export function heif({ brand = 'heic', inIdat = false, orientation = 6, exifExtent }: HeifOptions = {}): Part {
  const xmp = joined(bytesOf('<x:xmpmeta>'), secret, zeros(100), bytesOf('</x:xmpmeta>'));
  const exif = joined(uint(6, 4), bytesOf('Exif\0\0'), cameraExif(orientation));
  const picture = noise(700);
  const left = {
    exif: joined(zeros(4), bareExif(orientation), zeros(exif.length - 4 - bareExif(1).length)),
    xmp: joined(bytesOf('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'), zeros(xmp.length - 37).fill(0x20)),
  };
  const profile = displayProfile();
  const sameSize = cleanProfile(profile, true) ?? profile;
  const make = (exifBytes: Bytes, xmpBytes: Bytes, other: Bytes, tail: Bytes, icc: Bytes) => {
    const ftyp = box('ftyp', bytesOf(brand), zeros(4), bytesOf(`mif1${brand}`));
    const metadata = joined(exifBytes, xmpBytes);
    const meta = (mediaAt: number) => {
      const at = inIdat ? 0 : mediaAt + picture.length;
      const place = (id: number, method: number, offset: number, length: number) =>
        joined(uint(id, 2), uint(method, 2), uint(0, 2), uint(1, 2), uint(offset, 4), uint(length, 4));
      const method = inIdat ? 1 : 0;
      const [exifAt, exifLength] = exifExtent ?? [at, exif.length];
      return box(
        'meta',
        zeros(4),
        box('hdlr', zeros(8), bytesOf('pict'), zeros(13)),
        box('pitm', zeros(4), uint(1, 2)),
        box(
          'iloc',
          Uint8Array.of(1, 0, 0, 0, 0x44, 0),
          uint(3, 2),
          place(1, 0, mediaAt, picture.length),
          place(2, method, exifAt, exifLength),
          place(3, method, at + exif.length, xmp.length),
        ),
        box(
          'iinf',
          zeros(4),
          uint(3, 2),
          infe(1, 'hvc1'),
          infe(2, 'Exif'),
          infe(3, 'mime', bytesOf('application/rdf+xml\0')),
        ),
        box('iprp', box('ipco', box('colr', bytesOf('prof'), icc), box('ispe', zeros(12)))),
        other,
        ...(inIdat ? [box('idat', metadata)] : []),
      );
    };
    const mediaAt = ftyp.length + meta(0).length + other.length + 8;
    return joined(ftyp, meta(mediaAt), other, box('mdat', picture, ...(inIdat ? [] : [metadata])), tail);
  };
  const film = joined(box('mpvd', box('ftyp', bytesOf('mp42'), zeros(4)), secret), box('sefd', secret));
  return {
    bytes: make(exif, xmp, box('uuid', secret), film, profile),
    left: make(left.exif, left.xmp, box('free', zeros(secret.length)), NOTHING, sameSize),
  };
}
