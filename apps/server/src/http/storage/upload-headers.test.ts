import { AppError } from '@satchel/contract/errors';
import { SEALED_LABEL_MAX_BYTES } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { parseChecksum, parseCreation, parseMetadata, wholeNumber } from './upload-headers.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const encode = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');

function codeOf(act: () => unknown): string {
  try {
    act();
    return 'nothing was thrown';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe('parseMetadata', () => {
  test('reads pairs, empty values and keys alone', () => {
    const header = `name ${base64('Ünïcode.txt')}, empty ,alone`;
    expect(Object.fromEntries(parseMetadata(header))).toEqual({ name: 'Ünïcode.txt', empty: '', alone: '' });
  });

  test.each([
    ['nothing', ''],
    ['what is no base64', 'name ***'],
    ['base64 cut short', 'name YQ'],
    ['base64url', 'name _-8='],
    ['a third part', 'name YQ== YQ=='],
    ['a key twice', 'name YQ==,name Yg=='],
    ['an empty pair', 'name YQ==,,b YQ=='],
    ['a key beyond ASCII', 'näme YQ=='],
    ['bytes that are no UTF-8', `name ${base64(Buffer.from([0xff, 0xfe]))}`],
    ['too many pairs', Array.from({ length: 17 }, (_, index) => `k${index} YQ==`).join(',')],
    ['more than 8 KiB', `name ${base64('x'.repeat(8192))}`],
  ])('refuses %s', (_, header) => {
    expect(codeOf(() => parseMetadata(header))).toBe('upload.bad_metadata');
  });
});

describe('parseCreation', () => {
  const metadata = { bucketName: 'unlocked-folders', objectName: 'folder/file.txt' };
  const headers = (more: Record<string, string> = {}, length = '5') => ({
    'upload-length': length,
    'upload-metadata': encode({ ...metadata, ...more }),
  });

  test('fills in what the sender leaves out', () => {
    expect(parseCreation(headers())).toEqual({
      storagePath: 'folder',
      segment: 'file.txt',
      length_bytes: 5,
      mimetype: 'application/octet-stream',
      cache_control: '3600',
      sealed: null,
      metadata: encode(metadata),
      upsert: false,
      link_token: null,
    });
  });

  test('takes type, caching, label, upsert and link', () => {
    const creation = parseCreation({
      ...headers({ contentType: 'text/plain;charset=UTF-8', cacheControl: 'max-age=60', sealed: '2.AZaz09-_' }),
      'x-upsert': 'true',
      'x-link-token': 'token-1',
    });
    expect(creation).toMatchObject({
      mimetype: 'text/plain;charset=UTF-8',
      cache_control: 'max-age=60',
      sealed: '2.AZaz09-_',
      upsert: true,
      link_token: 'token-1',
    });
  });

  test('takes a name with joiners that its script needs', () => {
    const name = 'می‌خواهم 👩‍🚀.pdf';
    expect(parseCreation(headers({ objectName: `folder/${name}` })).segment).toBe(name);
  });

  test.each(['', '-1', '1.5', '1e3', '9'.repeat(16), 'five'])('refuses the length %j', (length) => {
    expect(codeOf(() => parseCreation(headers({}, length)))).toBe('upload.bad_length');
  });

  test.each([
    ['a type with a line break', { contentType: 'text/plain\r\nx: y' }, 'upload.bad_metadata'],
    ['a type without a slash', { contentType: 'text' }, 'upload.bad_metadata'],
    ['caching with a line break', { cacheControl: '1\r\nx' }, 'upload.bad_metadata'],
    ['a label that is no base64url', { sealed: '2.a+b=' }, 'upload.bad_metadata'],
    ['a label without a version', { sealed: 'AZaz09-_' }, 'upload.bad_metadata'],
    ['a label of an unknown version', { sealed: '3.AZaz09-_' }, 'upload.bad_metadata'],
    ['a label that is too long', { sealed: `2.${'a'.repeat(SEALED_LABEL_MAX_BYTES)}` }, 'upload.bad_metadata'],
    ['another bucket', { bucketName: 'files' }, 'storage.bucket_not_found'],
    ['a way up', { objectName: 'folder/../x' }, 'storage.bad_path'],
    ['a way up as the name', { objectName: 'folder/..' }, 'storage.bad_path'],
    ['no name', { objectName: 'folder/' }, 'storage.bad_path'],
    ['a line break', { objectName: 'folder/a\nb' }, 'storage.bad_path'],
    ['a deeper path', { objectName: 'folder/a/b' }, 'storage.bad_path'],
    ['no folder', { objectName: 'file.txt' }, 'storage.bad_path'],
    ['a leading slash', { objectName: '/folder/file.txt' }, 'storage.bad_path'],
    ['NUL', { objectName: 'folder/a\0b' }, 'storage.bad_path'],
    ['a backslash', { objectName: 'folder/a\\b' }, 'storage.bad_path'],
    ['a zero-width space', { objectName: 'folder/in\u200bvoice.pdf' }, 'storage.unseen'],
    ['text in tags', { objectName: 'folder/a\u{e0061}\u{e0062}' }, 'storage.unseen'],
    ['a soft hyphen', { objectName: 'folder/in\u00advoice' }, 'storage.unseen'],
    ['a joiner that no script needs', { objectName: 'folder/a\u200db' }, 'storage.unseen'],
    ['a name that looks empty', { objectName: 'folder/\u3164' }, 'storage.unseen'],
    ['256 bytes', { objectName: `folder/${'ü'.repeat(128)}` }, 'storage.bad_path'],
  ])('refuses %s', (_, more, code) => {
    expect(codeOf(() => parseCreation(headers(more)))).toBe(code);
  });

  test('refuses metadata without a bucket or a name', () => {
    const without = { 'upload-length': '5', 'upload-metadata': encode({ bucketName: 'unlocked-folders' }) };
    expect(codeOf(() => parseCreation(without))).toBe('upload.bad_metadata');
    expect(codeOf(() => parseCreation({ 'upload-length': '5' }))).toBe('upload.bad_metadata');
  });
});

describe('parseChecksum', () => {
  test('reads sha1 and sha256; null without the header', () => {
    expect(parseChecksum(undefined)).toBeNull();
    const digest = Buffer.alloc(20, 7);
    expect(parseChecksum(`sha1 ${base64(digest)}`)).toEqual({ algorithm: 'sha1', digest });
    expect(parseChecksum(`sha256 ${base64(Buffer.alloc(32))}`)?.algorithm).toBe('sha256');
  });

  test.each([
    '',
    'sha1',
    'md5 1B2M2Y8AsgTpgAmY7PhCfg==',
    `sha1 ${base64(Buffer.alloc(19))}`,
    `sha256 ${base64(Buffer.alloc(20))}`,
    'sha1 ***',
    `toString ${base64(Buffer.alloc(20))}`,
  ])('refuses %j', (header) => {
    expect(codeOf(() => parseChecksum(header))).toBe('upload.bad_checksum');
  });
});

test('wholeNumber takes digits alone', () => {
  expect(wholeNumber('0')).toBe(0);
  expect(wholeNumber('104857600')).toBe(104_857_600);
  for (const text of [undefined, '', '-1', '+1', '1.0', '0x1', ' 1', '1e3', '9'.repeat(16)]) {
    expect(wholeNumber(text)).toBeNull();
  }
});
