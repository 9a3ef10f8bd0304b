/**
 * A film of any size from a small one: the same pictures with nothing between them. The small one, fixtures/film.mp4, was
 * made by `ffmpeg -f lavfi -i color=c=teal:size=96x54:rate=1:duration=600 -c:v libvpx-vp9 -b:v 0 -crf 60 -g 5 -an`.
 */

const BOX_HEADER_BYTES = 8;
/** Boxes that hold the ones below them, down to the tables of samples (ISO/IEC 14496-12 §8). */
const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

interface Box {
  readonly type: string;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

function* boxesIn(film: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at < to; ) {
    const end = at + film.readUInt32BE(at);
    yield { type: film.toString('latin1', at + 4, at + BOX_HEADER_BYTES), start: at + BOX_HEADER_BYTES, end };
    at = end;
  }
}

function box(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(BOX_HEADER_BYTES + content.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** A table's content: version and flags, a count, and 32-bit numbers. */
function table(count: number, numbers: readonly number[]): Buffer {
  const content = Buffer.alloc(8 + 4 * numbers.length);
  content.writeUInt32BE(count, 4);
  for (const [index, number] of numbers.entries()) content.writeUInt32BE(number, 8 + 4 * index);
  return content;
}

/** The same boxes, with other tables in place of those that `replaced` names. */
function rebuilt(film: Buffer, { type, start, end }: Box, replaced: Readonly<Record<string, Buffer>>): Buffer {
  const other = replaced[type];
  if (other) return box(type, other);
  if (!PARENTS.has(type)) return box(type, film.subarray(start, end));
  return box(type, Buffer.concat([...boxesIn(film, start, end)].map((child) => rebuilt(film, child, replaced))));
}

function tableIn(film: Buffer, { start, end }: Box, wanted: string): Box | null {
  for (const child of boxesIn(film, start, end)) {
    if (child.type === wanted) return child;
    const found = PARENTS.has(child.type) ? tableIn(film, child, wanted) : null;
    if (found) return found;
  }
  return null;
}

/**
 * An MP4 of about `sizeBytes` with its index at the end, whose pictures lie evenly in it.
 * @param film with one track, whose samples follow each other in one piece, as ffmpeg writes a film without sound
 */
export function spreadFilm(film: Buffer, sizeBytes: number): Buffer {
  const top = [...boxesIn(film, 0, film.length)];
  const [type, moov] = ['ftyp', 'moov'].map((name) => top.find((found) => found.type === name));
  const sizes = moov && tableIn(film, moov, 'stsz');
  const places = moov && tableIn(film, moov, 'stco');
  if (!type || !moov || !sizes || !places) throw new Error('this is no MP4');
  const count = film.readUInt32BE(sizes.start + 8);
  let from = film.readUInt32BE(places.start + 8);
  const samples = Array.from({ length: count }, (_, index) => {
    const length = film.readUInt32BE(sizes.start + 12 + 4 * index);
    from += length;
    return film.subarray(from - length, from);
  });
  const head = rebuilt(film, type, {});
  const content = Buffer.alloc(sizeBytes - head.length - BOX_HEADER_BYTES);
  const offsets = samples.map((sample, index) => {
    const at = Math.floor((content.length / count) * index);
    sample.copy(content, at);
    return head.length + BOX_HEADER_BYTES + at;
  });
  // One sample in each chunk: where it begins, how many it has, and how they are described.
  const tables = { stco: table(count, offsets), stsc: table(1, [1, 1, 1]) };
  return Buffer.concat([head, box('mdat', content), rebuilt(film, moov, tables)]);
}
