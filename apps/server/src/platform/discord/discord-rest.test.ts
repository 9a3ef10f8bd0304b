import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createDiscordRest, DiscordCallError } from './discord-rest.ts';

const TOKEN = 'token-of-an-interaction';
const ORIGINAL = `/api/v10/webhooks/42/${TOKEN}/messages/@original`;
const REFUSAL = { message: `No such thing as ${TOKEN}` };

type Answer = readonly [status: number, body?: object, headers?: Record<string, string>];
interface Heard {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

let close: () => Promise<void>;
afterEach(() => close());

/** Discord's API for these tests: gives the answers in turn, then repeats the last one. */
async function serve(...answers: Answer[]) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    heard.push({
      method,
      path,
      authorization: headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    const [status, body = {}, extra = {}] = answers[Math.min(heard.length, answers.length) - 1]!;
    response.writeHead(status, { 'content-type': 'application/json', ...extra }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { heard, port, rest: createDiscordRest({ apiUrl: `http://127.0.0.1:${port}/api/v10`, applicationId: '42' }) };
}

const failureOf = (call: Promise<void>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

test('a reply is edited and followed up by its token alone, without pings', async () => {
  const { heard, rest } = await serve([200]);
  await rest.editReply(TOKEN, { content: 'a', allowed_mentions: { parse: ['everyone' as never] } });
  await rest.followUp(TOKEN, { content: 'b', flags: 64 });
  const quiet = { allowed_mentions: { parse: [] } };
  expect(heard).toEqual([
    { method: 'PATCH', path: ORIGINAL, authorization: undefined, body: { content: 'a', ...quiet } },
    {
      method: 'POST',
      path: `/api/v10/webhooks/42/${TOKEN}`,
      authorization: undefined,
      body: { content: 'b', flags: 64, ...quiet },
    },
  ]);
});

test('the error of a refusal has Discord’s code and never the token', async () => {
  const { heard, rest } = await serve([401, { ...REFUSAL, code: 50_027 }]);
  const error = await failureOf(rest.editReply(TOKEN, { content: TOKEN }));
  expect(error).toBeInstanceOf(DiscordCallError);
  expect(error).toMatchObject({ code: 50_027 });
  const told = [String(error), (error as Error).stack, JSON.stringify(error, Object.getOwnPropertyNames(error))];
  expect(told.join('\n')).not.toContain(TOKEN);
  expect((error as Error).cause).toBeUndefined();
  expect(heard).toHaveLength(1);
});

test('an answer that Discord does not know yet is edited a little later', async () => {
  const { heard, rest } = await serve([404, { ...REFUSAL, code: 10_015 }], [200]);
  await rest.editReply(TOKEN, { content: 'a' });
  expect(heard.map(({ path }) => path)).toEqual([ORIGINAL, ORIGINAL]);
});

test('a call waits for a rate limit and an outage', async () => {
  const limited = { message: 'You are being rate limited.', retry_after: 0.05, global: false };
  const { heard, rest } = await serve([429, limited, { 'retry-after': '0.05' }], [502], [200]);
  await rest.followUp(TOKEN, { content: 'a' });
  expect(heard).toHaveLength(3);
});

test('the error of an unreachable Discord has no address either', async () => {
  const { rest, port } = await serve([200]);
  await close();
  close = async () => undefined;
  const error = await failureOf(rest.editReply(TOKEN, { content: 'a' }));
  expect(error).toMatchObject({ name: 'DiscordCallError', code: 'ECONNREFUSED' });
  expect((error as Error).stack).not.toContain(String(port));
});
