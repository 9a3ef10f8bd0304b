import { AppError } from '@satchel/contract/errors';
import { describe, expect, test } from 'vitest';
import { decodeBase64Url } from '../src/base64url.ts';
import { encodeHeader } from '../src/format.ts';
import { importKeys, parseKey } from '../src/key.ts';
import { openKeyring } from '../src/keyring.ts';
import { openName, sealName } from '../src/label.ts';
import { createHeader, createSealer, sealStream } from '../src/seal.ts';
import { expectError, fromHex, vectors } from './fixtures.ts';

/** What keys, labels and the sealing side refuse, and with which words of the catalogue. */

const key = parseKey(vectors.folder_key);
const keys = await importKeys(key);

const thrown = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
  } catch (error) {
    return error;
  }
  return null;
};

describe('keys', () => {
  test('a folder key that is not 64 bytes', async () => {
    const message = 'Failed to import encryption keys: expected 64 bytes, got 32';
    expectError(await thrown(() => importKeys(new Uint8Array(32))), 'open.import_keys', message);
  });

  test.each([
    ['too short', 'ab'.repeat(32), 64],
    ['too long', `${'ab'.repeat(64)}c`, 129],
    ['empty', '', 0],
    ['not hex', `${'ab'.repeat(63)}xy`, 126],
  ])('a folder key in hex that is %s', async (_, hex, got) => {
    const message = `Invalid key format. Expected 128 hex characters, got ${got}`;
    expectError(await thrown(() => parseKey(hex)), 'key.bad_length', message);
  });

  const [vector] = vectors.sealed_keys;
  const secrets = { secret: decodeBase64Url(vector!.secret), share: fromHex(vector!.share) };
  const sealedKey = vector!.sealed_key;
  test.each([
    ['another secret', { ...secrets, sealedKey, secret: secrets.share }],
    ['another share', { ...secrets, sealedKey, share: secrets.secret }],
    ['a passphrase that was never set', { ...secrets, sealedKey, passphraseKey: new Uint8Array(32) }],
    ['a secret of 31 bytes', { ...secrets, sealedKey, secret: secrets.secret.subarray(1) }],
    [
      'an edited sealed key',
      { ...secrets, sealedKey: `${sealedKey.startsWith('A') ? 'B' : 'A'}${sealedKey.slice(1)}` },
    ],
    ['a cut sealed key', { ...secrets, sealedKey: sealedKey.slice(0, -4) }],
    ['a sealed key that is not base64url', { ...secrets, sealedKey: '=' }],
  ])('%s', async (_, given) => {
    expectError(await thrown(() => openKeyring(given)), 'key.unsealable', 'This link does not open this folder');
  });

  test('an edited name, another key’s, and none at all', async () => {
    const sealed = await sealName(keys, { name: 'a', type: 'b' });
    const other = await sealName(await importKeys(new Uint8Array(64)), { name: 'a', type: 'b' });
    for (const label of [`${sealed.slice(0, -4)}AAAA`, other, '', 'AAAA', '*', 'A'.repeat(2049)]) {
      expectError(await thrown(() => openName(keys, label)), 'open.corrupted', 'File is corrupted or truncated');
    }
  });
});

describe('sealing', () => {
  const sealing = async (header: Parameters<typeof createHeader>[0], blob: Blob): Promise<unknown> => {
    try {
      const sealer = await createSealer(keys, encodeHeader(createHeader(header)));
      for await (const unit of sealStream(sealer, blob)) expect(unit.length).toBeGreaterThan(0);
    } catch (error) {
      return error;
    }
    return null;
  };
  const file = { sizeBytes: 5, name: 'a', type: '' };

  test('a readable name that does not fit the header', async () => {
    const error = await sealing({ ...file, name: 'n'.repeat(9000) }, new Blob(['12345']));
    expectError(
      error,
      'seal.header_too_long',
      'The name and type of this file are too long. Rename the file and choose it again',
    );
  });

  test.each(['n'.repeat(1025), 'ü'.repeat(513), '"'.repeat(1024)])('a name that does not fit a label', async (name) => {
    const error = await sealName(keys, { name, type: 'text/plain' }).catch((reason: unknown) => reason);
    expectError(error, 'seal.name_too_long', 'The file name is too long. Rename the file and choose it again');
  });

  test.each(['1234', '123456'])('a file that is not as long as its header says: %s', async (text) => {
    expectError(await sealing(file, new Blob([text])), 'upload.stream_size', 'Stream size mismatch');
  });

  test('a header of the old reading is not written', async () => {
    const header = createHeader(file);
    for (const old of [
      { ...header, mac: null },
      { ...header, originalSize: null },
    ]) {
      expect(() => encodeHeader(old)).toThrowError(new AppError('upload.no_header'));
    }
  });
});
