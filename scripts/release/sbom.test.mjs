import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { makeSbom } from './sbom.mjs';
import { thirdParties } from './tree.mjs';

const SOURCE = { commit: '0123456789abcdef0123456789abcdef01234567', timeSeconds: 1_700_000_000 };
let bom;

beforeAll(async () => {
  bom = await makeSbom(SOURCE);
});

it('names every package of the production part of package-lock.json, and no other', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const production = Object.entries(packages)
    .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
    .map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`);
  expect(bom.components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
    [...new Set(production)].sort(),
  );
  const loaded = thirdParties({ packages });
  expect(bom.components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(loaded.map((path) => packages[path].name ?? path.split('node_modules/').at(-1))),
  );
  expect(loaded.length).toBeGreaterThan(100);
  expect(bom.metadata.component).toMatchObject({ name: 'satchel', type: 'application' });
});

it('is the same each time, with the time of the commit, and says nothing of this machine', async () => {
  expect(await makeSbom(SOURCE)).toEqual(bom);
  expect(bom.metadata.timestamp).toBe('2023-11-14T22:13:20.000Z');
  expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(JSON.stringify(bom)).not.toContain(ROOT);
});
