// Reads the examples of deploy/: compose.yaml keeps to the Compose specification as far as it is used here, the others parse
// (the Caddyfile where there is a Caddy, units where there is a systemd-analyze), and each setting that one of them names is one that the server reads.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, parseDocument } from 'yaml';
import { findProgram } from '../runtime/programs.mjs';
import { slipsOfCompose } from './compose-schema.mjs';

const SETTING = /^ {2}([A-Z][A-Z0-9_]+):/gm;
const REFERENCE = /\$\{([A-Z0-9_]+)(?::?[-?][^}]*)?\}/g;
/** Of Compose itself, and for its images. */
const OF_COMPOSE = new Set(['COMPOSE_PROFILES']);
const UNIT_OF_PAGE = /```ini\n(.*?)```/s;
const SATCHEL = /(^|\/)satchel(:|$)|SATCHEL_IMAGE/;

const RESTART = /^(no|always|unless-stopped|on-failure(:\d+)?)$/;
const CONDITIONS = ['service_started', 'service_healthy', 'service_completed_successfully'];
const DURATION = /^(\d+(us|ms|s|m|h))+$/;
const PORT = /^(([\d.]+|\[[\da-f:]+\]):)?(\d+(-\d+)?:)?\d+(-\d+)?(\/(tcp|udp))?$/;
const MOUNT = /^([^:]+):(\/[^:]*)(:(ro|rw|z|Z))?$/;

/** @returns {string[]} one line for each thing to mend in the examples of a checkout */
export function checkDeploy(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const settings = readSettings(read('apps/server/src/config.ts'), read('apps/server/src/secret-files.ts'));
  const lines = {
    'deploy/compose.yaml': checkCompose(read('deploy/compose.yaml'), {
      settings,
      example: read('deploy/.env.example'),
      isThere: (path) => existsSync(join(root, 'deploy', path)),
    }),
    'deploy/kubernetes.yaml': checkKubernetes(read('deploy/kubernetes.yaml'), settings),
    'deploy/satchel.service': [
      ...checkUnit(read('deploy/satchel.service'), settings),
      ...verifyUnit(read('deploy/satchel.service')),
    ],
    'docs/deploy.md': verifyUnit(UNIT_OF_PAGE.exec(read('docs/deploy.md'))?.[1] ?? 'no unit'),
    'deploy/Caddyfile': checkCaddyfile(join(root, 'deploy/Caddyfile')),
  };
  return Object.entries(lines).flatMap(([path, found]) => found.map((line) => `${path}: ${line}`));
}

/** By Caddy itself, without starting it. @returns {string[]} */
function checkCaddyfile(path) {
  const caddy = findProgram(['caddy']);
  if (caddy === undefined) return [];
  const env = { ...process.env, SITE_DOMAIN: 'files.example.org' };
  const { status, stderr } = spawnSync(caddy, ['adapt', '--config', path, '--adapter', 'caddyfile'], {
    env,
    encoding: 'utf8',
  });
  return status === 0 ? [] : [stderr.trim().split('\n').at(-1)];
}

/** By systemd itself, which passes over a line that it does not know. Only the program to start is not there. @returns {string[]} */
function verifyUnit(text) {
  const program = findProgram(['systemd-analyze']);
  if (program === undefined) return [];
  const folder = mkdtempSync(join(tmpdir(), 'satchel-unit-'));
  try {
    const path = join(folder, 'satchel.service');
    writeFileSync(path, text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
    const { stderr } = spawnSync(program, ['--man=no', 'verify', path], { encoding: 'utf8' });
    return readVerdict(stderr ?? '', path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns {string[]} what systemd-analyze says of the unit, without what it says of others */
export const readVerdict = (said, path) =>
  said
    .split('\n')
    .filter((line) => line.startsWith(`${path}:`))
    .map((line) => `line ${line.slice(path.length + 1)}`);

/** @returns {Set<string>} what the environment may name, by the source of the two modules that read it */
export function readSettings(config, secretFiles) {
  const [, named = ''] = /const WITH_FILE = \[([^\]]*)\]/.exec(secretFiles) ?? [];
  const withFile = [...named.matchAll(/'([A-Z_]+)'/g)].map(([, name]) => `${name}_FILE`);
  return new Set([...[...config.matchAll(SETTING)].map(([, name]) => name), ...withFile, 'CREDENTIALS_DIRECTORY']);
}

/** @returns {string[]} one line for each thing to mend */
export function checkCompose(text, { settings, example, isThere }) {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0) return document.errors.map(({ message }) => message.split('\n')[0]);
  const file = document.toJS();
  const services = Object.entries(file.services ?? {});
  return [
    ...(services.length === 0 ? ['has no services'] : []),
    ...slipsOfCompose(file),
    ...services.flatMap(([name, service]) =>
      checkService(service, { file, settings, isThere }).map((line) => `${name}: ${line}`),
    ),
    ...checkVariables(text, example),
  ];
}

function checkService(service, { file, settings, isThere }) {
  const { image, build, environment, restart, ports = [], volumes = [], networks = [], profiles = [] } = service;
  const { depends_on: needs = {}, network_mode: mode, stop_grace_period: grace, healthcheck } = service;
  const netless = mode?.startsWith('service:') ? [mode.slice('service:'.length)] : [];
  const others = [...(Array.isArray(needs) ? needs : Object.keys(needs)), ...netless];
  return [
    ...(image || build ? [] : ['has neither image nor build']),
    ...(restart === undefined || RESTART.test(restart) ? [] : [`restart can't be ${restart}`]),
    ...(grace === undefined || DURATION.test(grace) ? [] : [`${grace} is no duration`]),
    ...others.flatMap((other) => checkNeed(other, { file, profiles })),
    ...Object.values(Array.isArray(needs) ? {} : needs).flatMap(({ condition = 'service_started' }) =>
      CONDITIONS.includes(condition) ? [] : [`depends_on has no condition ${condition}`],
    ),
    ...(mode && networks.length !== 0 ? ['has both network_mode and networks'] : []),
    ...ports.filter((port) => !PORT.test(port)).map((port) => `${port} is no port`),
    ...volumes.flatMap((volume) => checkMount(volume, { file, isThere })),
    ...(Array.isArray(networks) ? networks : Object.keys(networks))
      .filter((name) => !Object.hasOwn(file.networks ?? {}, name))
      .map((name) => `the network ${name} is not declared`),
    ...checkHealth(healthcheck),
    ...(SATCHEL.test(image ?? '') ? unknownSettings(Object.keys(environment ?? {}), settings) : []),
  ];
}

/** A service of a profile is there for all that need it in the same profile. */
function checkNeed(name, { file, profiles }) {
  const other = file.services[name];
  if (!other) return [`needs ${name}, and there is no such service`];
  const without = profiles.filter((profile) => other.profiles && !other.profiles.includes(profile));
  return without.map((profile) => `needs ${name}, which the profile ${profile} has not`);
}

function checkMount(volume, { file, isThere }) {
  const [, source, , , access] = MOUNT.exec(volume) ?? [];
  if (!source) return [`${volume} is no volume`];
  if (/^[./]/.test(source)) {
    return !source.startsWith('./') || isThere(source) || !access ? [] : [`${source} is not in deploy/`];
  }
  return Object.hasOwn(file.volumes ?? {}, source) ? [] : [`the volume ${source} is not declared`];
}

function checkHealth(health) {
  if (!health) return [];
  const { test, interval = '1s', timeout = '1s', start_period: start = '1s', retries = 1 } = health;
  return [
    ...(typeof test === 'string' || /^(CMD|CMD-SHELL|NONE)$/.test(test?.[0]) ? [] : ['healthcheck has no test']),
    ...[interval, timeout, start].filter((text) => !DURATION.test(text)).map((text) => `${text} is no duration`),
    ...(Number.isInteger(retries) ? [] : [`${retries} is no number of retries`]),
  ];
}

const unknownSettings = (names, settings) =>
  names.filter((name) => !settings.has(name)).map((name) => `${name} is no setting (apps/server/src/config.ts)`);

/** Each variable has its line in .env.example, and no line there is left over. */
function checkVariables(text, example) {
  const bare = text.replace(/^\s*#.*$/gm, '');
  const used = new Set([...bare.matchAll(REFERENCE)].map(([, name]) => name));
  const given = new Set([...example.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  return [
    ...[...used].filter((name) => !given.has(name)).map((name) => `${name} is not in .env.example`),
    ...[...given]
      .filter((name) => !used.has(name) && !OF_COMPOSE.has(name))
      .map((name) => `.env.example has ${name}, which is not used`),
  ];
}

/** @returns {string[]} one line for each thing to mend */
export function checkKubernetes(text, settings) {
  const documents = parseAllDocuments(text);
  const errors = documents.flatMap((document) => document.errors.map(({ message }) => message.split('\n')[0]));
  if (errors.length > 0) return errors;
  const objects = documents.map((document) => document.toJS());
  return objects.flatMap((object) => {
    const { apiVersion, kind, metadata } = object;
    if (!apiVersion || !kind || !metadata?.name) return ['an object lacks apiVersion, kind or metadata.name'];
    if (kind === 'ConfigMap') return unknownSettings(Object.keys(object.data), settings);
    if (kind === 'Deployment') return checkDeployment(object.spec, settings);
    return [];
  });
}

function checkDeployment({ selector, template }, settings) {
  const { containers, volumes = [] } = template.spec;
  const labels = Object.entries(selector.matchLabels);
  const known = new Set(volumes.map(({ name }) => name));
  return [
    ...(labels.every(([name, value]) => template.metadata.labels[name] === value)
      ? []
      : ['the selector does not choose the pods of its own template']),
    ...containers.flatMap(({ name, env = [], volumeMounts = [], ports = [], ...container }) => [
      ...unknownSettings(
        env.map(({ name: setting }) => setting),
        settings,
      ),
      ...volumeMounts
        .filter((mount) => !known.has(mount.name))
        .map((mount) => `${name} mounts no volume ${mount.name}`),
      ...['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((probe) => {
        const port = container[probe]?.httpGet?.port;
        return ports.some((each) => each.name === port) ? [] : [`${name}: ${probe} asks no port of the container`];
      }),
    ]),
  ];
}

/** @returns {string[]} one line for each credential that is no setting, commented out or not */
export function checkUnit(text, settings) {
  const names = [...text.matchAll(/^#?LoadCredential=([^:]*):/gm)].map(([, name]) => name);
  return [
    ...['[Unit]', '[Service]', '[Install]']
      .filter((part) => !text.includes(`\n${part}\n`))
      .map((part) => `lacks ${part}`),
    ...unknownSettings(names, settings),
  ];
}
