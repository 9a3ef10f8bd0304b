import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { databaseFiles, dumpOf, endOfLog, filesBelow, formsOf } from '../support/database/kept-bytes.ts';
import { hoursFromNow } from '../support/folders.ts';
import { expire, sweepAll } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** Where key material lies, in every form, while links are good and after they end (docs/container.md §3). */

/** A private link as a browser makes it. */
function newPrivate() {
  const [key, secret, share, proof, nonce] = [64, 32, 32, 32, 12].map((length) => randomBytes(length));
  const kek = Buffer.from(hkdfSync('sha256', secret!, share!, 'satchel v2 folder key', 32));
  const cipher = createCipheriv('aes-256-gcm', kek, nonce!);
  const ring = Buffer.concat([Buffer.from([1, 1, 1]), key!]);
  const sealed = Buffer.concat([nonce!, cipher.update(ring), cipher.final(), cipher.getAuthTag()]);
  return {
    key: key!,
    secret: secret!,
    share: share!,
    proof: proof!,
    input: {
      sealed_key: sealed.toString('base64url'),
      key_share: share!.toString('base64url'),
      passphrase: true,
      proof_hash: createHash('sha256').update(proof!).digest('base64url'),
    },
  };
}

const app = await createTestApp();
const begin = await endOfLog(app.database.db);
const mika = await app.signIn('mika');

describe('key material', () => {
  const create = async (input: object) => {
    const { status, body } = await app.rpc<CreateFolderOutput>('create_folder_with_temp_key', input, mika);
    expect(status).toBe(201);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info!.api_token}` };
  };
  const act = async (name: string, { id }: Folder, input: object = {}) =>
    expect((await app.rpc(name, { folder_id: id, ...input }, mika)).status).toBeLessThan(300);

  /** Where each secret lies, in any form: files of database and data directory, a dump, the log. */
  async function placesOf(secrets: readonly Buffer[]): Promise<string[][]> {
    const forms = secrets.map(formsOf);
    const places = secrets.map(() => new Set<string>());
    const look = (place: string, bytes: Buffer) =>
      forms.forEach((own, index) => {
        if (own.some((form) => bytes.includes(form))) places[index]!.add(place);
      });
    look('dump', Buffer.from(await dumpOf(app.database.db)));
    look('log', Buffer.from(app.log.join('\n')));
    for await (const { path, bytes } of databaseFiles(app.database.db, begin)) look(`database: ${path}`, bytes);
    for await (const { path, bytes } of filesBelow(app.config.dataDir)) look(`data: ${path.split('/')[0]}`, bytes);
    return places.map((own) => [...own]);
  }
  const nowhere = (secrets: readonly Buffer[]) => secrets.map(() => []);
  const inKeysDir = (secrets: readonly Buffer[]) => secrets.map(() => ['data: keys']);

  test('without the sealing secret neither a dump nor the database’s files have a key', async () => {
    const folder_name = `Control ${randomBytes(16).toString('hex')}`;
    const [key, second, link] = [randomBytes(64), randomBytes(64), newPrivate()];
    const earlier = [randomBytes(64), randomBytes(64), randomBytes(64)];
    const [, ...earlier_keys] = earlier.map((bytes) => bytes.toString('hex'));
    const discord = await create({ folder_name, encryption_key: key.toString('hex'), earlier_keys });
    const guarded = await create(link.input);
    // Every use of a key: read, sealed for another end, replaced, proven.
    expect((await app.call('GET', discord.path)).status).toBe(200);
    await act('update_folder_settings', discord.folder, { new_expires_at: hoursFromNow(2) });
    await act('generate_temp_encryption_key', discord.folder, {
      encrypted_key: second.toString('hex'),
      earlier_keys: [earlier[0]!.toString('hex')],
    });
    const proof = link.proof.toString('base64url');
    expect((await app.call('POST', guarded.path, { body: { proof } })).status).toBe(200);

    // The control: a stored string is found this way.
    expect(await dumpOf(app.database.db)).toContain(folder_name);
    const places = new Set<string>();
    for await (const { path, bytes } of databaseFiles(app.database.db, begin)) {
      if (bytes.includes(folder_name)) places.add(path.split('/')[0]!);
    }
    expect([...places]).toEqual(['base', 'pg_wal']);
    expect(await dumpOf(app.database.db)).toContain(guarded.path.split('/').at(-1));

    const never = [key, second, ...earlier, link.key, link.secret, link.proof];
    never.push(Buffer.from(app.config.keySealingSecret!), Buffer.from(mika.cookie.split('=')[1]!, 'base64url'));
    expect(await placesOf([...never, link.share])).toEqual([...nowhere(never), ['data: keys']]);
  });

  /** Every end of a share; the sweep runs after the last two. */
  const ENDS: ((folder: Folder) => Promise<unknown>)[] = [
    (folder) => act('revoke_temp_encryption_key', folder),
    (folder) => act('delete_folder_complete', folder),
    (folder) => act('generate_temp_encryption_key', folder, newPrivate().input),
    (folder) => act('generate_temp_encryption_key', folder, { encrypted_key: randomBytes(64).toString('hex') }),
    (folder) => expire(app, folder),
    ({ id }) =>
      app.database.db.execute(
        sql`update temp_encryption_keys set expires_at = clock_timestamp() where folder_id = ${id}::uuid`,
      ),
  ];

  test('a share is nowhere once its link is revoked, replaced, deleted, or has ended and was swept', async () => {
    const links = ENDS.map(newPrivate);
    const shares = links.map(({ share }) => share);
    const folders: Folder[] = [];
    for (const { input } of links) folders.push((await create(input)).folder);
    expect(await placesOf(shares)).toEqual(inKeysDir(shares));
    for (const [index, end] of ENDS.entries()) await end(folders[index]!);
    expect((await placesOf(shares)).slice(0, 4)).toEqual(nowhere(shares.slice(0, 4)));
    expect(await sweepAll(app)).toEqual([]);
    expect(await placesOf(shares)).toEqual(nowhere(shares));
  });

  test('no key of a deleted account is anywhere', async () => {
    const links = [newPrivate(), newPrivate()];
    for (const { input } of links) await create(input);
    expect((await app.call('DELETE', '/rest/v1/profiles/me', { as: mika })).status).toBe(204);
    const shares = links.map(({ share }) => share);
    expect(await placesOf(shares)).toEqual(nowhere(shares));
  });
});
