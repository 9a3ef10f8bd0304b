import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** Files of one JSON value a line, with their hashes. */

export interface WrittenLines {
  readonly rows: number;
  readonly sha256: string;
}

/** Writes a new file that only this user may read; it is durable when this resolves. */
export async function writeLines(path: string, batches: AsyncIterable<readonly string[]>): Promise<WrittenLines> {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let rows = 0;
  try {
    for await (const lines of batches) {
      const text = lines.map((line) => `${line}\n`).join('');
      hash.update(text);
      await file.writeFile(text);
      rows += lines.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { rows, sha256: hash.digest('hex') };
}

/** Not by readline, which also ends lines at U+2028, as a name may have it. */
export async function* linesOf(path: string, atOnce: number): AsyncGenerator<readonly string[]> {
  let rest = '';
  let lines: string[] = [];
  for await (const text of createReadStream(path, { encoding: 'utf8' })) {
    const pieces = (rest + text).split('\n');
    rest = pieces.pop()!;
    for (const piece of pieces) {
      lines.push(piece);
      if (lines.length < atOnce) continue;
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest('hex');
}
