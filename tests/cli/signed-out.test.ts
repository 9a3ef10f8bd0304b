import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionList } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { until } from '@satchel/contract/testing/pace';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, newMachine, signInMachine } from '../support/command-line.ts';
import { type Line, startSiteBehindLine } from '../support/line.ts';
import type { Site } from '../support/site.ts';

const MIB = 1024 * 1024;

let site: Site;
let line: Line;
let machine: Machine;
beforeAll(async () => {
  [{ site, line }, machine] = await Promise.all([startSiteBehindLine(), newMachine()]);
});
afterAll(async () => {
  await machine?.remove();
  line?.cut();
  await site?.stop();
  await line?.close();
});

test('a put whose sign-in is ended in the profile stops with the reason, and leaves no link', async () => {
  const mika = await signInMachine(site, machine, 'mika');
  await writeFile(join(machine.folder, 'film.bin'), randomBytes(24 * MIB));
  line.hold(6 * MIB);
  const put = machine.start(['put', 'film.bin']);
  await until(
    async () => line.heldCount() > 0,
    () => `nothing was sent: ${put.said()}`,
  );
  const sessions = (await (await mika.call('GET', PATHS.sessions)).json()) as SessionList;
  const { id } = sessions.find(({ kind }) => kind === 'device')!;
  expect((await mika.call('DELETE', `${PATHS.sessions}/${id}`)).status).toBe(204);
  line.hold(null);
  const { code, out, err } = await put.ended;
  expect({ code, out: out.toString(), err }).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/this sign-in has ended\. Run: satchel login\n$/i),
  });
});
