import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@satchel/contract/testing/pace';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Machine, newMachine, type Started, signInMachine } from '../support/command-line.ts';
import { type Site, startSite } from '../support/site.ts';

const MIB = 1024 * 1024;
/** Of a chunk in the journal. */
const TAG_BYTES = 32;
/** Large enough that a kill meets it in the middle; twenty places of a file are tests/cli/killed.test.ts. */
const CONTENT = randomBytes(48 * MIB + 5);

let site: Site;
let machine: Machine;
beforeAll(async () => {
  [site, machine] = await Promise.all([startSite(), newMachine()]);
  await signInMachine(site, machine, 'mika');
});
afterAll(async () => {
  await machine?.remove();
  await site?.stop();
});

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => -1,
  );

/** The largest file below a folder whose name ends so; -1 for none. */
async function largest(folder: string, ending: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return Math.max(
    -1,
    ...(await Promise.all(names.filter((name) => name.endsWith(ending)).map((name) => sizeOf(join(folder, name))))),
  );
}

/** Kills a command like a power cut once `isThere`, unless it has ended by then. */
async function killWhen(started: Started, isThere: () => Promise<boolean>): Promise<void> {
  await until(
    async () => started.child.exitCode !== null || (await isThere()),
    () => `never there: ${started.said()}`,
  );
  started.child.kill('SIGKILL');
  await started.ended;
}

const linkIn = (out: Buffer) => out.toString().trim();

describe('put', () => {
  test('killed in the middle, the same command continues, also with the file that was to follow', async () => {
    await writeFile(join(machine.folder, 'killed.bin'), CONTENT);
    await writeFile(join(machine.folder, 'small.txt'), 'small');
    const args = ['put', 'killed.bin', 'small.txt'];
    await killWhen(
      machine.start(args),
      async () => (await largest(join(machine.config, 'sites'), '.tags')) >= 60 * TAG_BYTES,
    );
    const { code, out, err } = await machine.run(args);
    expect({ code, err }).toMatchObject({ code: 0 });
    const listed = JSON.parse((await machine.run(['ls', '-', '--json'], { stdin: out })).out.toString());
    expect(listed.files.map(({ path }: { path: string }) => path).sort()).toEqual(['killed.bin', 'small.txt']);
    const got = await machine.run(['get', '-', '--only', '*.bin', '--stdout'], { stdin: linkIn(out) });
    expect({ code: got.code, isSame: got.out.equals(CONTENT) }).toEqual({ code: 0, isSame: true });
    expect(await largest(join(machine.config, 'sites'), '.tags')).toBe(-1);
  });

  test('a file that changed after the interruption is sent from its beginning, and keeps no earlier byte', async () => {
    const path = join(machine.folder, 'changing.bin');
    await writeFile(path, CONTENT);
    await killWhen(
      machine.start(['put', 'changing.bin']),
      async () => (await largest(machine.config, '.tags')) >= 100 * TAG_BYTES,
    );
    const changed = Buffer.from(CONTENT);
    changed.fill('changed', 5 * MIB, 6 * MIB);
    await writeFile(path, changed);
    const { code, out } = await machine.run(['put', 'changing.bin']);
    expect(code).toBe(0);
    const got = await machine.run(['get', '-', '--only', 'changing.bin', '--stdout'], { stdin: linkIn(out) });
    expect(got.out.equals(changed)).toBe(true);
  });

  test('a kill of the server is waited for', async () => {
    await writeFile(join(machine.folder, 'patient.bin'), CONTENT);
    const started = machine.start(['put', 'patient.bin']);
    await until(
      async () => (await largest(machine.config, '.tags')) >= 60 * TAG_BYTES,
      () => started.said(),
    );
    await site.kill9();
    await site.restart();
    const { code, out } = await started.ended;
    expect(code).toBe(0);
    const got = await machine.run(['get', '-', '--stdout'], { stdin: linkIn(out) });
    expect(got.out.equals(CONTENT)).toBe(true);
  });

  test('an interrupted one exits 130, and prints nothing', async () => {
    await writeFile(join(machine.folder, 'stopped.bin'), CONTENT);
    const started = machine.start(['put', 'stopped.bin']);
    await until(
      async () => (await largest(machine.config, '.tags')) >= 0,
      () => started.said(),
    );
    started.child.kill('SIGINT');
    expect(await started.ended).toMatchObject({
      code: 130,
      out: Buffer.alloc(0),
      err: expect.stringContaining('it continues'),
    });
  });
});

describe('get', () => {
  let link: string;
  beforeAll(async () => {
    await writeFile(join(machine.folder, 'whole.bin'), CONTENT);
    link = linkIn((await machine.run(['put', 'whole.bin'])).out);
  });

  const get = (reader: Machine) => reader.start(['get', '-'], { stdin: link });
  const partOf = ({ folder }: Machine) => join(folder, 'whole.bin.part');

  /** A machine whose command was killed with that much in its part: one that was too fast for that is no case. */
  async function killedAt(mib: number): Promise<Machine> {
    for (;;) {
      const reader = await newMachine();
      await killWhen(get(reader), async () => (await sizeOf(partOf(reader))) >= mib * MIB);
      if ((await sizeOf(partOf(reader))) >= 0) return reader;
      await reader.remove();
    }
  }

  test('bytes that somebody changed in the part are fetched again', async () => {
    const reader = await killedAt(20);
    const file = await open(partOf(reader), 'r+');
    await file.write(Buffer.from('changed'), 0, 7, 9 * MIB);
    await file.close();
    expect(await get(reader).ended).toMatchObject({ code: 0 });
    expect((await readFile(join(reader.folder, 'whole.bin'))).equals(CONTENT)).toBe(true);
    await reader.remove();
  });

  test('a part that another program left is no part of ours', async () => {
    const reader = await newMachine();
    await writeFile(join(reader.folder, 'whole.bin.part'), 'of another program');
    expect(await get(reader).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('whole.bin.part is there already'),
    });
    expect(await readFile(join(reader.folder, 'whole.bin.part'), 'utf8')).toBe('of another program');
    await reader.remove();
  });
});
