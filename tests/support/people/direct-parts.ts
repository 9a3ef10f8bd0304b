import {
  type AddressesInput,
  type AddressesOutput,
  DIRECT_UPLOAD_PATH,
  type PartsInput,
  type PartsOutput,
} from '@satchel/contract/wire/direct-uploads';
import { claimOf } from '../../../apps/server/test/support/blobs/direct-sender.ts';
import { answerOf, type Person } from './client.ts';
import { tusHeaders } from './tus.ts';

/** Uploads whose parts a client stores in S3 itself (docs/decisions/033). */

export interface DirectUpload {
  readonly person: Person;
  /** Its tus address. */
  readonly url: string;
  readonly lease: number;
}

async function call<Answer>({ person, url }: DirectUpload, what: string, input: AddressesInput | PartsInput) {
  const id = url.split('/').at(-1);
  const response = await fetch(new URL(`${DIRECT_UPLOAD_PATH}/${id}/${what}`, url), {
    method: 'POST',
    headers: { ...tusHeaders(person), 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return answerOf<Answer>(response);
}

/** @returns the part's name, by which it is acknowledged */
export async function storePart(upload: DirectUpload, start: number, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const claims = { lease: upload.lease, parts: [claimOf(bytes, start)] };
  const { parts } = await call<AddressesOutput>(upload, 'addresses', claims);
  const [address] = parts ?? [];
  if (!address) throw new Error('the server gives no address');
  const { status } = await fetch(address.url, { method: 'PUT', headers: address.headers, body: bytes });
  if (status !== 200) throw new Error(`the store answered ${status}`);
  return address.name;
}

/** @returns the offset up to which the server has acknowledged the upload */
export async function acknowledgeParts(upload: DirectUpload, names: readonly string[]): Promise<number> {
  return (await call<PartsOutput>(upload, 'parts', { lease: upload.lease, names })).offset_bytes;
}
