import { MIB } from '@satchel/contract/limits';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf, sha256 } from '../support/files.ts';
import { SOCKET_FRONTS } from '../support/fronts.ts';
import { sendBySocket, sendRefused } from '../support/people/socket.ts';
import {
  type CreatedFolder,
  createOverTus,
  createPlainFolder,
  type Person,
  runTus,
  runTusUntil,
  signIn,
} from '../support/people.ts';
import type { Site } from '../support/site.ts';

const REFUSED = 14;

describe.each(SOCKET_FRONTS)('the upload socket, $name', (front) => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;

  beforeAll(async () => {
    site = await front.start();
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
  });
  afterAll(() => site.stop());

  const stored = async (name: string) => {
    const response = await fetch(
      `${site.url}/storage/v1/object/public/unlocked-folders/${folder.bucket_storage_path}/${name}`,
    );
    return sha256(new Uint8Array(await response.arrayBuffer()));
  };

  test('takes an upload over from tus, and brings it to its end', async () => {
    const bytes = randomBytesOf(20 * MIB);
    const target = { url: site.url, person: mika, path: `${folder.bucket_storage_path}/socket_1_a.bin` };
    const url = await runTusUntil(target, bytes, 2 * MIB);
    const bySocket = sendBySocket({ site, person: mika, url, bytes });
    if (front.passesUpgrades) expect(await bySocket).toBe(1000);
    else {
      await expect(bySocket).rejects.toThrow('the server refused the socket');
      // What the browser does then.
      expect((await runTus(target, bytes, { uploadUrl: url })).error).toBeNull();
    }
    expect(await stored('socket_1_a.bin')).toBe(sha256(bytes));
  });

  test.runIf(front.passesUpgrades)(
    'that is refused while bytes come is closed with its code, and not reset',
    async () => {
      const path = `${folder.bucket_storage_path}/refused_1_a.bin`;
      const bytes = randomBytesOf(4 * MIB);
      const { url } = await createOverTus({ url: site.url, person: mika, path }, 20 * MIB);
      const refused = Array.from({ length: REFUSED }, () => sendRefused({ site, person: mika, url, bytes }));
      const codes = await Promise.all(refused);
      expect(codes.filter((code) => code < 4400)).toEqual([]);
    },
  );

  test.runIf(front.passesUpgrades)('writes no bearer and no address of an upload into the log', () => {
    expect(site.logs()).toContain(UPLOAD_SOCKET_PATH);
    expect(site.logs()).not.toContain(mika.token);
  });
});
