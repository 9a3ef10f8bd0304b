import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { MIB } from '@satchel/contract/limits';
import { type Chosen, choosePipe } from './chosen.ts';
import { readState, writeState } from './device/state-folder.ts';
import { type OpenedFolder, openIfThere, readFiles } from './folder.ts';
import { CommandError, EXIT, failureOf } from './outcome.ts';
import { makeFolder, type PutWish, putInto } from './put.ts';
import type { Site } from './site.ts';
import { say } from './terminal.ts';

/**
 * `satchel agent`: an encrypted target for programs that upload screenshots over HTTP and read a link from the answer. It takes
 * requests of this machine that have its token. A page can't send that header without asking first, and gets no answer to that;
 * a name that was rebound to 127.0.0.1 comes with another `Host`.
 */

export const AGENT_PORT = 47_853;

export interface AgentWish extends Pick<PutWish, 'lifetimeHours' | 'linkMode' | 'keepsMetadata'> {
  readonly port: number;
  readonly isOneEach: boolean;
  /** Where the settings of ShareX and of ishare are written. */
  readonly sxcu?: string;
  readonly iscu?: string;
}

const ADDRESS = '127.0.0.1';
const TOKEN_HEADER = 'x-satchel-token';
const NAME_HEADER = 'x-file-name';
/** A form is parsed in memory. */
const BODY_MAX_BYTES = 256 * MIB;

/** The folder of a day, by this device's calendar. */
interface Day {
  readonly day: string;
  readonly slug: string;
}

/** An answer that is not a link. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function isToken(given: string | string[] | undefined, token: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** @throws Refusal before anything of the body is read */
function admitRequest({ method, url, headers }: IncomingMessage, port: number, token: string): void {
  if (headers.host !== `${ADDRESS}:${port}`) throw new Refusal(421, 'This is the agent of satchel, under another name');
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) throw new Refusal(403, 'Not for pages');
  if (!isToken(headers[TOKEN_HEADER], token))
    throw new Refusal(401, `The header ${TOKEN_HEADER} doesn’t have this agent’s token`);
  if (method !== 'POST' || url !== '/') throw new Refusal(404, 'POST / takes a file');
}

/** @throws Refusal once it is too long */
async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > BODY_MAX_BYTES) throw new Refusal(413, `At most ${BODY_MAX_BYTES / MIB} MiB`);
    yield part;
  }
}

/** The file of a form, whichever its field is called, or the body itself. */
async function fileIn(request: IncomingMessage, root: string): Promise<Chosen> {
  const { 'content-type': type = '', [NAME_HEADER]: name } = request.headers;
  if (!/^multipart\/form-data/i.test(type)) {
    return choosePipe(root, bounded(request), typeof name === 'string' ? decodeURIComponent(name) : undefined);
  }
  const body = Readable.toWeb(Readable.from(bounded(request))) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch((error: unknown) => {
    throw error instanceof Refusal ? error : new Refusal(400, 'This form can’t be read');
  });
  const file = [...form.values()].find((value) => value instanceof File);
  if (file === undefined) throw new Refusal(400, 'This form has no file');
  return choosePipe(root, Readable.from([Buffer.from(await file.arrayBuffer())]), file.name || undefined);
}

/** Uploads into the folder of the day; with `--each`, into a new folder. */
function createUploader(site: Site, { isOneEach, keepsMetadata, ...wish }: AgentWish) {
  const statePath = join(site.folder, 'agent-day.json');

  async function folderOfToday(): Promise<OpenedFolder> {
    const day = new Date().toLocaleDateString('sv');
    const kept = isOneEach ? null : await readState<Day>(statePath);
    // Its owner may have deleted the folder since.
    const there = kept?.day === day ? await openIfThere(site, { slug: kept.slug, hash: '' }) : null;
    if (there !== null) return there;
    const made = await makeFolder(site, { ...wish, hidesNames: true, passphrase: false });
    if (!isOneEach) await writeState(statePath, { day, slug: made.data.folder_slug } satisfies Day);
    return made;
  }

  return async (chosen: Chosen): Promise<{ readonly url: string; readonly deletion_url: string }> => {
    const opened = await folderOfToday();
    const { link, uploaded, skipped } = await putInto(site, opened, chosen, { strips: !keepsMetadata, since: null });
    const [refused] = skipped;
    if (refused) throw new CommandError(EXIT.refused, 'agent.skipped', refused.reason);
    const { files } = await readFiles(site, opened);
    const file = files.findLast(({ path }) => path === uploaded[0]);
    const [address = '', key] = link.split('#');
    const shown = file === undefined ? address : `${address}?file=${file.entry.id}`;
    return { url: key === undefined ? shown : `${shown}#${key}`, deletion_url: shown };
  };
}

/** ShareX's custom uploader, version 1 (https://getsharex.com/docs/custom-uploader). */
const sxcuOf = (port: number, token: string) => ({
  Version: '1.0.0',
  Name: 'Satchel',
  DestinationType: 'ImageUploader, FileUploader',
  RequestMethod: 'POST',
  RequestURL: `http://${ADDRESS}:${port}/`,
  Headers: { [TOKEN_HEADER]: token },
  Body: 'MultipartFormData',
  FileFormName: 'file',
  URL: '{json:url}',
  DeletionURL: '{json:deletion_url}',
  ErrorMessage: '{json:error}',
});

/**
 * ishare's custom uploader, specification 2.0 (https://github.com/castdrian/ishare#readme). It has no `deletionURL`: ishare would
 * fetch that with these headers, and give the site this agent's token.
 */
const iscuOf = (port: number, token: string) => ({
  name: 'Satchel',
  requestURL: `http://${ADDRESS}:${port}/`,
  headers: { [TOKEN_HEADER]: token },
  fileFormName: 'file',
  responseURL: '{{url}}',
});

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Connection: 'close' });
  response.end(JSON.stringify(body));
}

/** Listens until the process ends. */
export async function runAgent(site: Site, root: string, wish: AgentWish): Promise<void> {
  const { port, sxcu, iscu } = wish;
  const tokenPath = join(root, 'agent.json');
  // One token for good: the settings of other programs have it.
  const token = (await readState<{ token: string }>(tokenPath))?.token ?? randomBytes(32).toString('base64url');
  await writeState(tokenPath, { token });
  const upload = createUploader(site, wish);
  /** One after the other: two at once would make two folders of one day. */
  let last: Promise<unknown> = Promise.resolve();

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      admitRequest(request, port, token);
      const chosen = await fileIn(request, root);
      const mine = last.then(() => upload(chosen));
      last = mine.catch(() => undefined);
      answer(response, 200, await mine);
    } catch (error) {
      const { exitCode, message } = failureOf(error);
      const status = error instanceof Refusal ? error.status : exitCode === EXIT.line ? 502 : 403;
      say(`refused: ${message}`);
      answer(response, status, { error: message });
      request.resume();
    }
  }

  const server = createServer((request, response) => void take(request, response));
  server.listen(port, ADDRESS);
  await once(server, 'listening');
  const settings = [[sxcu, sxcuOf(port, token)] as const, [iscu, iscuOf(port, token)] as const];
  for (const [path, content] of settings) {
    if (path === undefined) continue;
    await writeState(resolve(path), content);
    say(`${path} has this agent’s token: keep it to yourself`);
  }
  say(`Listening at http://${ADDRESS}:${port}/. The token for the header ${TOKEN_HEADER} is in ${tokenPath}`);
  await once(server, 'close');
}
