/** A frame of an ID3v2.3 tag. */
function frame(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.write(id, 'latin1');
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** One frame of silence: MPEG 1, layer III, 128 kbit/s, 44.1 kHz. */
function silence(): Buffer {
  const bytes = Buffer.alloc(417);
  bytes.set([0xff, 0xfb, 0x90, 0x64]);
  return bytes;
}

/** An MP3 of a second, whose tag has a title, an artist and a cover. */
export function coveredSong(cover: Buffer): Buffer {
  const tag = Buffer.concat([
    frame('TIT2', Buffer.from('\0Harbour song', 'latin1')),
    frame('TPE1', Buffer.from('\0Die M\u00f6wen', 'latin1')),
    frame('APIC', Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), cover])),
  ]);
  const head = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
  for (let byte = 0; byte < 4; byte++) head[6 + byte] = (tag.length >> (7 * (3 - byte))) & 0x7f;
  return Buffer.concat([head, tag, ...Array.from({ length: 40 }, silence)]);
}
