import type { AddressInfo } from 'node:net';
import type { Folder } from '@satchel/contract/entities';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { createUploadReplies, type TellTimes, type UploadReplies } from '../../src/bot/upload/upload-replies.ts';
import { DiscordCallError } from '../../src/platform/discord/discord-rest.ts';
import { createTextSealer } from '../../src/platform/keys/text-sealer.ts';
import { upload_intents } from '../../src/platform/schema/bot.ts';
import { command, recordRest, type Said } from '../support/discord/discord-kit.ts';
import { createTus, deleteFolder, expire, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';

/** Replies to /upload, once files are uploaded. */

/** Tests edit replies explicitly; the server that takes their files would only do so when it stops. */
const NOT_IN_THIS_TEST = { gatherMs: 600_000, againMs: 600_000, lookMs: 600_000 };
const SOON = { gatherMs: 20, againMs: 20, lookMs: 600_000 };

/** What Discord answers to the next edit. */
let onEdit: (edit: Said) => Promise<void> | void = () => undefined;
const said = recordRest((edit) => onEdit(edit));
const app = await createTestApp({ deps: { discordRest: said.rest, tellTimes: NOT_IN_THIS_TEST } });
const mika = await app.signIn('mika');

describe('a reply to /upload', () => {
  let replies: UploadReplies;
  let reported: unknown[];

  afterEach(async () => {
    onEdit = () => undefined;
    await replies?.close();
  });

  /** The replies of a separate process, which gathers only briefly. */
  function startReplies(replyTokens = app.deps.replyTokens): UploadReplies {
    reported = [];
    const { publicUrl } = app.config;
    replies = createUploadReplies(
      { db: app.database.db, rest: said.rest, replyTokens, publicUrl, report: (error) => reported.push(error) },
      SOON,
    );
    return replies;
  }

  async function putFile(folder: Folder, bytes = 2048, baseUrl = app.baseUrl): Promise<void> {
    const tus = createTus({ ...app, baseUrl }, mika);
    const { pathname } = new URL(await tus.create({ folder, name: freshName(), length: bytes }));
    expect((await tus.patch(baseUrl + pathname, 0, someBytes(bytes))).status).toBe(204);
  }
  /** Another process of the same server. */
  async function startServer(tellTimes: TellTimes) {
    const server = createApp({ ...app.deps, tellTimes });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
  }
  async function asked(folder?: Folder, place = {}) {
    const own = folder ?? (await makeFolder(app, mika));
    const { token } = await command(app, 'mika', 'upload', { folder: own.id }, place);
    return { folder: own, token };
  }
  const editsOf = (token: string) => said.all.filter((edit) => edit.token === token);
  const intentsOfFolder = (folder: Folder) =>
    app.database.db.select().from(upload_intents).where(eq(upload_intents.folder_id, folder.id));
  const editOf = async (token: string): Promise<Said> => {
    while (editsOf(token).length === 0) await said.until(said.all.length + 1);
    return editsOf(token)[0]!;
  };

  test('says what is there and until when, with buttons to open, share and delete it', async () => {
    const made = await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', { folder_name: 'Raid *7*' }, mika);
    const { folder, token } = await asked(made.body.folder, { locale: 'de' });
    await putFile(folder);
    startReplies().noteChanged(folder.id);
    const { what, message } = await editOf(token);
    expect(what).toBe('editReply');
    const gone = Math.floor(new Date(folder.expires_at).getTime() / 1000);
    expect(message.content).toBe(
      `**Raid \\*7\\*** enthält jetzt 1 Datei, 2,00 KB. Der Ordner löscht sich <t:${gone}:R>.`,
    );
    expect(message.components).toMatchObject([
      {
        components: [
          { label: 'Öffnen', url: `${app.config.publicUrl}/f/${folder.slug}` },
          { label: 'Teilen', custom_id: `share:again:${folder.id}` },
          { label: 'Löschen', custom_id: `delete:ask:${folder.id}` },
        ],
      },
    ]);
  });

  test('is edited once for many files that come together, and counts all of them', async () => {
    const { folder, token } = await asked();
    startReplies();
    for (let count = 0; count < 3; count += 1) await putFile(folder);
    for (let count = 0; count < 30; count += 1) replies.noteChanged(folder.id);
    await editOf(token);
    // Once another reply is edited, this one has not been edited again.
    const other = await asked();
    replies.noteChanged(other.folder.id);
    await editOf(other.token);
    await replies.close();
    expect(editsOf(token).map(({ message }) => message.content)).toEqual([expect.stringContaining('3 files, 6.00 KB')]);
  });

  test('is edited by the upload itself, in the words of the folder that the intent is bound to', async () => {
    const { token, body } = await command(app, 'mika', 'upload', { folder: 'Bound', who_opens: 'plain' });
    const intent = new URL(body.data.components[0].components[0].url).hash.slice('#intent='.length);
    const redeemed = await app.call('POST', '/discord/intents/redeem', { as: mika, body: { intent } });
    const { intent_id } = (await redeemed.json()) as { intent_id: string };
    const input = { folder_name: 'Bound', intent_id };
    const { folder } = (await app.rpc<{ folder: Folder }>('create_folder_with_temp_key', input, mika)).body;
    const server = await startServer(SOON);
    await putFile(folder, 3_000_000, server.baseUrl);
    expect((await editOf(token)).message.content).toContain('**Bound** now holds 1 file, 2.86 MB');
    await server.close();
  });

  test('does not mention a folder that has been deleted or has expired since', async () => {
    const gone = await asked();
    const over = await asked();
    await deleteFolder(app, mika, gone.folder);
    await expire(app, over.folder);
    startReplies();
    for (const { folder } of [gone, over]) replies.noteChanged(folder.id);
    await replies.close();
    expect([...editsOf(gone.token), ...editsOf(over.token), ...reported]).toEqual([]);
    expect(await intentsOfFolder(gone.folder)).toEqual([]);
  });

  test.each([50_027, 10_015, 10_008])('is given up once Discord says that it has expired (%d)', async (code) => {
    const { folder, token } = await asked();
    onEdit = () => {
      throw new DiscordCallError(code);
    };
    startReplies().noteChanged(folder.id);
    await replies.close();
    expect(await intentsOfFolder(folder)).toEqual([]);
    expect([...reported, ...editsOf(token)]).toEqual([]);
  });

  test('is given up when its token can’t be opened, as after a change of SESSION_SECRET', async () => {
    const { folder, token } = await asked();
    startReplies(createTextSealer(Buffer.alloc(32, 9), 'reply tokens')).noteChanged(folder.id);
    await replies.close();
    expect(await intentsOfFolder(folder)).toEqual([]);
    expect([...reported, ...editsOf(token)]).toEqual([]);
  });

  test('is not edited after its quarter of an hour', async () => {
    const { folder, token } = await asked();
    await app.database.db
      .update(upload_intents)
      .set({ expires_at: new Date() })
      .where(eq(upload_intents.folder_id, folder.id));
    startReplies().noteChanged(folder.id);
    await replies.close();
    expect(editsOf(token)).toEqual([]);
  });

  test('is tried again when Discord fails, and the failure is reported without the token', async () => {
    const { folder, token } = await asked();
    let failures = 2;
    onEdit = () => {
      if (failures-- > 0) throw new DiscordCallError(503);
    };
    startReplies().noteChanged(folder.id);
    await editOf(token);
    await replies.close();
    expect(reported).toHaveLength(2);
    expect(String(reported)).not.toContain(token);
    const [intent] = await intentsOfFolder(folder);
    expect(intent?.told_at).toBeInstanceOf(Date);
  });

  test('that a crash left unedited is edited at the next start, and only once', async () => {
    const { folder, token } = await asked();
    const quiet = await asked();
    await putFile(folder);
    // The process that took the file never edited the reply: another one starts on the same database.
    startReplies();
    await replies.start();
    await replies.close();
    expect(editsOf(token)).toHaveLength(1);
    await startReplies().start();
    await replies.close();
    expect([editsOf(token).length, editsOf(quiet.token).length]).toEqual([1, 0]);
  });

  test('is edited by a server that starts, as soon as it listens', async () => {
    const { folder, token } = await asked();
    await putFile(folder);
    const server = await startServer(SOON);
    await editOf(token);
    await server.close();
    expect((await intentsOfFolder(folder))[0]?.told_at).toBeInstanceOf(Date);
  });

  test('is edited before the server stops', async () => {
    const { folder, token } = await asked();
    const server = await startServer(NOT_IN_THIS_TEST);
    await putFile(folder, 5, server.baseUrl);
    expect(editsOf(token)).toEqual([]);
    await server.close();
    expect(editsOf(token)).toHaveLength(1);
  });

  test('the newest five of one folder are edited, however often the command was typed', async () => {
    const { folder } = await asked();
    const tokens: string[] = [];
    for (let count = 0; count < 6; count += 1) tokens.push((await asked(folder)).token);
    startReplies().noteChanged(folder.id);
    await replies.close();
    expect(tokens.map((token) => editsOf(token).length)).toEqual([0, 1, 1, 1, 1, 1]);
  });
});
