import { openSocket, sendIn } from '../../../apps/server/test/support/uploads/socket-kit.ts';
import { ask, type Person, tusHeaders } from '../people.ts';
import type { Site } from '../site.ts';

/** Uploads over the upload socket, with Node's WebSocket. */

interface SocketUpload {
  readonly site: Pick<Site, 'url'>;
  readonly person: Person;
  /** Its tus address. */
  readonly url: string;
  /** The whole file. */
  readonly bytes: Buffer;
}

/**
 * Sends what the server does not have yet, and waits for the end.
 * @returns the code that the server closed with
 */
export async function sendBySocket({ site, person, url, bytes }: SocketUpload): Promise<number> {
  const client = await openSocket({ baseUrl: site.url, config: { publicUrl: site.url } });
  const offset = Number((await ask(url, { method: 'HEAD', headers: tusHeaders(person) })).headers.get('upload-offset'));
  client.begin(url, offset, person.token);
  await client.heard('ready');
  sendIn(client, new Uint8Array(bytes.subarray(offset)));
  await client.heard('done');
  return (await client.closed).code;
}

/**
 * Begins at an offset that is not the upload's, and sends on, as a client whose bytes are under way when the refusal comes.
 * @returns the code that the client heard
 */
export async function sendRefused({ site, person, url, bytes }: SocketUpload): Promise<number> {
  const client = await openSocket({ baseUrl: site.url, config: { publicUrl: site.url } });
  client.begin(url, bytes.length, person.token);
  sendIn(client, new Uint8Array(bytes));
  return (await client.closed).code;
}
