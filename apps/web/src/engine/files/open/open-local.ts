import { renderType } from '@satchel/client/open/render-type';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { type LocalFile, type LocalFiles, localFiles } from '../local-files.ts';
import type { OpenedFile } from './open-client.ts';

export interface OpenLocalRequest {
  readonly entry: FileEntry;
  readonly proof: FileProof;
  readonly signal?: AbortSignal;
}

export interface OpenLocalDeps {
  readonly files: Pick<LocalFiles, 'get' | 'forget'>;
  readonly createUrl: (content: Blob) => string;
}

/** The bytes that were sealed. */
async function asSent({ file, strips }: LocalFile): Promise<Blob> {
  if (!strips) return file;
  const { asSent } = await import('@satchel/client/send/metadata/strip-metadata');
  return (await asSent(file, true)).file;
}

/**
 * A picture or film that this page has uploaded, from the device; null for any other file, and for one that has changed or
 * is gone since. Pictures and short films are read now, so that a later change of the file changes nothing.
 */
export async function openLocal(
  request: OpenLocalRequest,
  { files, createUrl }: OpenLocalDeps = { files: localFiles, createUrl: (content) => URL.createObjectURL(content) },
): Promise<OpenedFile | null> {
  const { proof, signal } = request;
  const local = files.get(request);
  if (local === null) return null;
  const { name } = proof.label;
  const type = renderType(name, proof.label.type);
  const isFilm = type.startsWith('video/');
  if (!isFilm && !type.startsWith('image/')) return null;
  // The browser refuses to read a file that has changed since it was chosen.
  const sent = await asSent(local).catch(() => null);
  const isRead = !isFilm || proof.sizeBytes <= AUTO_OPEN_BYTES;
  const bytes = await (isRead ? sent : sent?.slice(0, 1))?.arrayBuffer().catch(() => null);
  signal?.throwIfAborted();
  // Another size: the sealed file is not this one.
  if (!sent || !bytes || sent.size !== proof.sizeBytes) {
    files.forget(request);
    return null;
  }
  const content = isRead ? new Blob([bytes], { type }) : sent.slice(0, sent.size, type);
  return { name, type, sizeBytes: sent.size, blob: isRead ? content : null, objectUrl: createUrl(content) };
}
