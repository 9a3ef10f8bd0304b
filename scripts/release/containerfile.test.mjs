import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { parseContainerfile } from './containerfile.mjs';

const instructions = parseContainerfile(readFileSync(join(ROOT, 'Containerfile'), 'utf8'));
const textsOf = (wanted) => instructions.filter(({ name }) => name === wanted).map(({ text }) => text);

it('joins continued lines and leaves comments out', () => {
  expect(parseContainerfile('# first\nRUN a \\\n  b\n\nUSER 1:1\n')).toEqual([
    { name: 'RUN', text: 'a    b' },
    { name: 'USER', text: '1:1' },
  ]);
});

it('reads a Containerfile whose image runs without root, has a health check and brings the version of package.json', () => {
  const [user] = textsOf('USER');
  expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  expect(textsOf('HEALTHCHECK')).toEqual([expect.stringContaining('/healthz')]);
  expect(JSON.parse(textsOf('ENTRYPOINT')[0])).toEqual(['node', 'start.mjs']);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const path of ['deploy/compose.yaml', 'deploy/.env.example', 'deploy/kubernetes.yaml']) {
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(`satchel:${version}`);
  }
});
