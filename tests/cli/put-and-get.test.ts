import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Machine, newMachine, signInMachine } from '../support/command-line.ts';
import { type Site, startSite } from '../support/site.ts';

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

test('puts a file, prints its link alone, and gets the same bytes without a sign-in', async () => {
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 17, 'photo');
  await writeFile(join(machine.folder, 'boat.bin'), bytes);
  const put = await machine.run(['put', 'boat.bin']);
  expect(put).toMatchObject({ code: 0 });
  expect(put.out.toString()).toMatch(new RegExp(`^${site.url}/f/[\\w-]{16}#k=[\\w-]{43}\n$`));
  const stranger = await newMachine();
  const get = await stranger.run(['get', '-', '-o', 'there'], { stdin: put.out });
  expect(get).toMatchObject({ code: 0, err: '' });
  expect(await readFile(join(stranger.folder, 'there/boat.bin'))).toEqual(bytes);
  await stranger.remove();
});
