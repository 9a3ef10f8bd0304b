import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { openVisitor, type Visitor, type VisitorOptions } from '../browser.ts';

/** A browser profile on disk, to search as a person with the device could. */
export interface BrowserProfile {
  /** Starts the browser with the profile; closing the visitor ends the browser normally. */
  open(): Promise<Visitor>;
  /**
   * Files that hold any of the secrets, relative to the profile; skips files that an open browser is deleting.
   * @param isMeant which files to read; all where left out, which takes a second of CPU time
   */
  filesWith(secrets: readonly Buffer[], isMeant?: (path: string) => boolean): Promise<string[]>;
  remove(): Promise<void>;
}

/** Long enough to match no other bytes, short enough that compression can't hide a whole secret. */
const PIECE_BYTES = 10;

/** Splits `form` into pieces: compressed files keep new bytes literally, but may cut them. */
function piecesOf(form: Buffer, step: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at + step <= form.length; at += step) pieces.push(form.subarray(at, at + step));
  return pieces;
}

/** Encodings of a secret: bytes, base64, base64url, hex, each in 8 or 16 bits a character. */
function formsOf(secret: Buffer): Buffer[] {
  const texts = [
    secret.toString('base64url'),
    secret.toString('base64'),
    secret.toString('hex'),
    secret.toString('hex').toUpperCase(),
    encodeURIComponent(secret.toString('base64')),
    [...secret].join(','),
  ];
  return [
    ...piecesOf(secret, PIECE_BYTES),
    ...texts.flatMap((text) => [
      ...piecesOf(Buffer.from(text, 'latin1'), PIECE_BYTES + 4),
      ...piecesOf(Buffer.from(text, 'utf16le'), 2 * (PIECE_BYTES + 4)),
    ]),
  ];
}

export async function newBrowserProfile(options: Pick<VisitorOptions, 'needsNoHistory'> = {}): Promise<BrowserProfile> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-profile-'));
  return {
    open: () => openVisitor(dir, options),
    async filesWith(secrets, isMeant = () => true) {
      const forms = secrets.flatMap(formsOf);
      const found: string[] = [];
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        if (!isMeant(relative(dir, path))) continue;
        const bytes = await readFile(path).catch(() => null);
        if (bytes && forms.some((form) => bytes.includes(form))) found.push(relative(dir, path));
      }
      return found.sort();
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
