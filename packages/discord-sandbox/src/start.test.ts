import { expect, test } from 'vitest';
import { startSandbox } from './start.ts';

test('started in a process, it says what an application needs to know, and answers until it is closed', async () => {
  const sandbox = await startSandbox({ botToken: 'a token' });
  expect(sandbox).toMatchObject({
    origin: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    clientId: '100000000000000001',
    clientSecret: 'sandbox-secret',
    publicKey: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const api = `${sandbox.origin}/api/v10`;
  const commands = await fetch(`${api}/applications/${sandbox.clientId}/commands`, {
    method: 'PUT',
    headers: { authorization: `Bot ${sandbox.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ name: 'hello', description: 'Says hello' }]),
  });
  expect(await commands.json()).toMatchObject([{ name: 'hello', type: 1 }]);
  const [place] = sandbox.chat.placesOf('mika');
  expect(sandbox.chat.commandsIn('mika', place?.channels[0]?.id ?? '')).toMatchObject([{ name: 'hello' }]);
  expect(sandbox.problems.all()).toEqual([]);
  await sandbox.close();
  await expect(fetch(api)).rejects.toThrow();
});

test('a taken port is the error of who asks for it', async () => {
  const first = await startSandbox();
  const port = Number(new URL(first.origin).port);
  await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
});
