import { parseFragment } from '@satchel/client/keys/folder-link';
import { decodeBase64Url, encodeBase64Url } from '@satchel/container/base64url';
import { formatKey, newFolderKey } from '@satchel/container/key';
import { OperatorPublicKey, ReportInput } from '@satchel/contract/abuse';
import { expect, test } from 'vitest';
import { newOperatorKeyPair, openSealedKey, sealToOperators } from './report-sealing.ts';

const SLUG = 'AAAAAAAAAAAAAAAA';
const ID = '00000000-0000-4000-8000-000000000001';
const OTHER_ID = '00000000-0000-4000-8000-000000000002';

async function sealedOnce() {
  const operator = await newOperatorKeyPair();
  const folderKey = newFolderKey();
  const [entry] = await sealToOperators(SLUG, [folderKey], [{ id: ID, public_key: operator.publicKey }]);
  return { operator, folderKey, sealed: entry!.sealed };
}

test('each operator opens the key that was sealed to them, and no other', async () => {
  const [one, other] = [await newOperatorKeyPair(), await newOperatorKeyPair()];
  const folderKey = newFolderKey();
  const operators = [
    { id: ID, public_key: one.publicKey },
    { id: OTHER_ID, public_key: other.publicKey },
  ];
  const [toOne, toOther] = await sealToOperators(SLUG, [folderKey], operators);
  expect([toOne?.operator_key_id, toOther?.operator_key_id]).toEqual([ID, OTHER_ID]);
  expect(await openSealedKey(SLUG, toOne!.sealed, one.privateKey)).toBe(formatKey(folderKey));
  expect(await openSealedKey(SLUG, toOther!.sealed, other.privateKey)).toBe(formatKey(folderKey));
  await expect(openSealedKey(SLUG, toOther!.sealed, one.privateKey)).rejects.toThrow();
});

test('a key sealed for one folder does not open as another’s', async () => {
  const { operator, sealed } = await sealedOnce();
  await expect(openSealedKey('BBBBBBBBBBBBBBBB', sealed, operator.privateKey)).rejects.toThrow();
});

test('a changed byte is noticed, whichever part it is in', async () => {
  const { operator, sealed } = await sealedOnce();
  const { length } = decodeBase64Url(sealed);
  for (const at of [1, 64, 65, 76, 77, length - 1]) {
    const bytes = decodeBase64Url(sealed);
    bytes[at]! ^= 1;
    await expect(openSealedKey(SLUG, encodeBase64Url(bytes), operator.privateKey)).rejects.toThrow();
  }
});

test('two sealings of one key have nothing in common, and none shows the key', async () => {
  const { operator, folderKey, sealed } = await sealedOnce();
  const [again] = await sealToOperators(SLUG, [folderKey], [{ id: ID, public_key: operator.publicKey }]);
  const [one, other] = [decodeBase64Url(sealed), decodeBase64Url(again!.sealed)];
  expect(one.slice(1, 65)).not.toEqual(other.slice(1, 65));
  expect(one.slice(65, 77)).not.toEqual(other.slice(65, 77));
  expect(new TextDecoder('latin1').decode(one)).not.toContain(formatKey(folderKey));
});

test('what the browser sends is what the server takes', async () => {
  const { operator, sealed } = await sealedOnce();
  expect(OperatorPublicKey.parse(operator.publicKey)).toBe(operator.publicKey);
  const report = { folder_slug: SLUG, reason: 'malware', sealed_keys: [{ operator_key_id: ID, sealed }] };
  expect(ReportInput.parse(report).sealed_keys[0]?.sealed).toBe(sealed);
});

test('the private key can’t be taken out of the browser', async () => {
  const { privateKey } = await newOperatorKeyPair();
  expect(privateKey.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow();
});

test('what is sealed has to be a folder key', async () => {
  const { operator } = await sealedOnce();
  const short = new Uint8Array(8);
  const [entry] = await sealToOperators(SLUG, [short], [{ id: ID, public_key: operator.publicKey }]);
  await expect(openSealedKey(SLUG, entry!.sealed, operator.privateKey)).rejects.toMatchObject({
    code: 'key.bad_length',
  });
});

test('all keys of a folder go to the operator, and come as its address says them', async () => {
  const operator = await newOperatorKeyPair();
  const keys = Array.from({ length: 16 }, newFolderKey);
  const [entry] = await sealToOperators(SLUG, keys, [{ id: ID, public_key: operator.publicKey }]);
  expect(ReportInput.shape.sealed_keys.safeParse([entry]).success).toBe(true);
  const fragment = await openSealedKey(SLUG, entry!.sealed, operator.privateKey);
  expect(fragment).toBe(keys.map(formatKey).join('.'));
  expect(parseFragment(`#${fragment}`)).toEqual({ kind: 'key', keys });
});
