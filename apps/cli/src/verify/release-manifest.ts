import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SiteManifest } from '@satchel/contract/site-manifest';
import { UsageError } from '../outcome.ts';
import { BUILT_IN } from './built-in-manifest.ts';

export interface ReleaseManifest extends SiteManifest {
  /** SHA-256 of the whole text in hex, as SHA256SUMS of the release has it. */
  readonly sha256: string;
}

const isTexts = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');

/** @returns null for what is no manifest */
export function parseManifest(text: string): ReleaseManifest | null {
  try {
    const read = JSON.parse(text) as SiteManifest;
    const { version, policies, pages, files } = read;
    if (typeof version !== 'string' || ![policies, pages, files].every(isTexts)) return null;
    return { ...read, sha256: createHash('sha256').update(text).digest('hex') };
  } catch {
    return null;
  }
}

/**
 * Reads the manifest that a site is compared with: never from the site itself.
 * @param path of a file; without it, the manifest of this command's own release
 * @throws UsageError where it is no manifest
 */
export async function readReleaseManifest(path: string | undefined): Promise<ReleaseManifest> {
  const text = path === undefined ? BUILT_IN : await readFile(path, 'utf8');
  if (text === null) throw new UsageError('this satchel was not built with a manifest; give one with --manifest FILE');
  const manifest = parseManifest(text);
  if (manifest === null) throw new UsageError(`${path ?? 'the built-in manifest'} is no manifest of a release`);
  return manifest;
}
