import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@satchel/contract/testing/pace';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Machine, newMachine, type Started, signInMachine } from '../support/command-line.ts';
import { type Line, startSiteBehindLine } from '../support/line.ts';
import type { Site } from '../support/site.ts';

/** kill -9 at twenty places of a file, which the line stands still at: the same command again ends whole. */

const MIB = 1024 * 1024;
const SIZE_BYTES = 24 * MIB + 5;
const CONTENT = randomBytes(SIZE_BYTES);
const POINTS = Array.from({ length: 20 }, (_, at) => Math.round(((at + 0.5) * SIZE_BYTES) / 20));
/** What goes beside the file's bytes, and what the system's buffers have of them. */
const SLACK_BYTES = 2 * MIB;

let site: Site;
let line: Line;
let machine: Machine;
beforeAll(async () => {
  [{ site, line }, machine] = await Promise.all([startSiteBehindLine(), newMachine()]);
  await signInMachine(site, machine, 'mika');
});
afterAll(async () => {
  await machine?.remove();
  line?.cut();
  await site?.stop();
  await line?.close();
});

/** Kills a command once the line has let it pass as many bytes as it was told. */
async function killAtHold({ child, ended, said }: Started): Promise<void> {
  await until(
    async () => line.heldCount() > 0 || child.exitCode !== null,
    () => `the line never stood still: ${said()}`,
  );
  child.kill('SIGKILL');
  expect((await ended).code).toBe(null);
  line.letGo();
  line.forget();
}

describe.each(['pass', 'refuse'] as const)('put, by a line that lets sockets %s', (sockets) => {
  beforeAll(() => line.treatSockets(sockets));
  afterAll(() => line.treatSockets('pass'));

  test.each(POINTS.filter((_, at) => at % 2 === (sockets === 'pass' ? 0 : 1)))(
    'killed after %i bytes, the same command continues there',
    async (bytes) => {
      const name = `killed-${bytes}.bin`;
      await writeFile(join(machine.folder, name), CONTENT);
      line.hold(bytes);
      await killAtHold(machine.start(['put', name]));
      const { code, out, err } = await machine.run(['put', name]);
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(line.sentBytes()).toBeLessThan(SIZE_BYTES - bytes + SLACK_BYTES);
      const got = await machine.run(['get', '-', '--stdout'], { stdin: out });
      expect({ code: got.code, isSame: got.out.equals(CONTENT) }).toEqual({ code: 0, isSame: true });
    },
  );
});

describe('get', () => {
  let link: string;
  beforeAll(async () => {
    await writeFile(join(machine.folder, 'whole.bin'), CONTENT);
    link = (await machine.run(['put', 'whole.bin'])).out.toString();
  });

  test.each(POINTS)('killed after %i bytes, the same command continues there', async (bytes) => {
    const reader = await newMachine();
    const get = () => reader.start(['get', '-'], { stdin: link });
    line.holdAnswers(bytes);
    await killAtHold(get());
    const there = await readdir(reader.folder);
    expect(there).not.toContain('whole.bin');
    const part = there.includes('whole.bin.part') ? (await stat(join(reader.folder, 'whole.bin.part'))).size : 0;
    expect(await get().ended).toMatchObject({ code: 0 });
    // The last piece of 4 MiB has no digest yet.
    expect(line.answeredBytes()).toBeLessThan(SIZE_BYTES - part + 4 * MIB + SLACK_BYTES);
    expect((await readFile(join(reader.folder, 'whole.bin'))).equals(CONTENT)).toBe(true);
    expect(await readdir(reader.folder)).not.toContain('whole.bin.part');
    await reader.remove();
  });
});
