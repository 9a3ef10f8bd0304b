import { describe, expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { checkCompose, checkDeploy, checkKubernetes, checkUnit, readSettings, readVerdict } from './check-deploy.mjs';

const settings = readSettings('  PORT: x,\n  HOST: y,\n', "const WITH_FILE = [\n  'SESSION_SECRET',\n];");
const compose = (service, rest = '') =>
  checkCompose(`services:\n  site:\n${service.replace(/^/gm, '    ')}\n${rest}`, {
    settings,
    example: '',
    isThere: () => false,
  });

describe('the check of deployment examples', () => {
  it('finds the examples of this repository in order', () => {
    expect(checkDeploy(ROOT)).toEqual([]);
  });

  it.each([
    ['a file that is no YAML', 'image: [', /flow|expected/i],
    ['a service without an image', 'restart: always', /neither image nor build/],
    ['a slip in a key', 'image: a\nenviroment: {}', /^services\/site has no key enviroment$/],
    [
      'a slip in a key below',
      'image: a\nhealthcheck: { test: b, interva1: 5s }',
      /^services\/site\/healthcheck has no key interva1$/,
    ],
    ['a slip in one of two forms', 'build: { contxt: . }', /^services\/site\/build has no key contxt$/],
    ['a value of another type', 'image: a\nread_only: 1', /^services\/site\/read_only must be boolean,string$/],
    ['a setting that the server does not read', 'image: satchel:1\nenvironment: { PROT: 1 }', /PROT is no setting/],
    ['a variable without its line in .env.example', `image: \${IMAGE:-a}`, /IMAGE is not in .env.example/],
    ['a service that is not there', 'image: a\ndepends_on: [b]', /no such service/],
    ['a volume that is not declared', 'image: a\nvolumes: ["data:/data"]', /data is not declared/],
    ['a file that is not there', 'image: a\nvolumes: ["./data:/data:ro"]', /data is not in deploy/],
    ['a network that is not declared', 'image: a\nnetworks: [b]', /b is not declared/],
    ['a port that is none', 'image: a\nports: [http]', /http is no port/],
    ['a healthcheck without a test', 'image: a\nhealthcheck: { interval: 5s }', /has no test/],
    ['a duration without a unit', 'image: a\nstop_grace_period: "60"', /60 is no duration/],
  ])('finds %s', (_name, service, line) => {
    expect(compose(service)).toEqual([expect.stringMatching(line)]);
  });

  it('finds a slip in a key of the file, and none in what Compose passes over', () => {
    expect(compose('image: a\nx-more: {}', 'x-more: 1\nnetwork: {}')).toEqual(['the file has no key network']);
  });

  it('finds a service that a profile lacks', () => {
    const text = 'image: a\nprofiles: [small]\ndepends_on: [other]';
    expect(compose(text, '  other: { image: b, profiles: [full] }')).toEqual([expect.stringMatching(/small has not/)]);
  });

  it('takes settings, and files of secrets, of a Satchel that merges them', () => {
    const environment = 'environment: { <<: { PORT: 1 }, SESSION_SECRET_FILE: /run/secret }';
    expect(compose(`image: example.org/satchel:1\n${environment}`)).toEqual([]);
  });

  it('finds settings that are none in a ConfigMap and among credentials of systemd', () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { PORT: "1", PROT: "1" }\n';
    expect(checkKubernetes(map, settings)).toEqual([expect.stringMatching(/^PROT is no setting/)]);
    const unit = '\n[Unit]\n[Service]\n#LoadCredential=SECRET:/x\n[Install]\n';
    expect(checkUnit(unit, settings)).toEqual([expect.stringMatching(/^SECRET is no setting/)]);
  });

  it('takes what systemd says of a unit, and not what it says of others', () => {
    const said =
      "/other.service:1: Unknown key\n/a.service:43: Unknown key 'ProtectHostnam' in section [Service], ignoring.\n";
    expect(readVerdict(said, '/a.service')).toEqual([
      "line 43: Unknown key 'ProtectHostnam' in section [Service], ignoring.",
    ]);
  });
});
