import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A Containerfile's steps without a container engine: each stage is a folder, and RUN is a shell in a chroot of it. */

const INSTRUCTION = /^([A-Z]+)\s+(.*)$/;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @returns {{ name: string, text: string }[]} the instructions, without comments and line ends */
export function parseContainerfile(text) {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, rest] = INSTRUCTION.exec(line.trim()) ?? [];
      if (!name) throw new Error(`not an instruction: ${line}`);
      return { name, text: rest };
    });
}

/**
 * Runs all stages and gives the last one.
 * @param {object} options
 * @param {(image: string) => string} options.makeBase copies an image's files to a folder of a stage's own
 * @param {(folder: string) => void} options.copyContext puts the build context into a folder
 * @param {Record<string, string>} options.args values of ARGs
 * @param {Record<string, string>} options.env what RUN gets besides, to reach the network
 * @returns {Stage} with `root`, `env`, `folder`, `user`, `entrypoint` and `healthcheck`
 */
export function runContainerfile(instructions, { makeBase, copyContext, args, env: ofMachine }) {
  const stages = new Map();
  const given = {};
  let stage;
  for (const { name, text } of instructions) {
    const step = STEPS[name];
    if (!step) throw new Error(`${name} is an instruction that this script does not know`);
    process.stdout.write(`── ${name} ${text}\n`);
    if (name === 'FROM') stage = undefined;
    const context = { stages, given, args, makeBase, copyContext, ofMachine };
    stage = step({ ...context, stage, text: fillIn(text, name, given) }) ?? stage;
  }
  return stage;
}

/** Only where Containerfiles fill in themselves: in RUN and the commands the shell and the program see the text as it is. */
function fillIn(text, name, given) {
  if (!['FROM', 'COPY', 'ENV', 'WORKDIR', 'USER'].includes(name)) return text;
  return text.replace(/\$\{(\w+)\}/g, (_whole, variable) => given[variable] ?? '');
}

const STEPS = {
  ARG({ stage, text, given, args }) {
    const [variable, ...preset] = text.split('=');
    const value = args[variable] ?? preset.join('=');
    given[variable] = value;
    if (stage) stage.args[variable] = value;
  },
  FROM({ stages, text, makeBase }) {
    const [image, , alias = ''] = text.split(/\s+/);
    const stage = {
      root: makeBase(image),
      env: { PATH },
      args: {},
      folder: '/',
      user: '0:0',
      entrypoint: [],
      healthcheck: [],
    };
    stages.set(alias, stage);
    return stage;
  },
  WORKDIR({ stage, text }) {
    stage.folder = text;
    mkdirSync(join(stage.root, text), { recursive: true });
  },
  COPY({ stage, stages, text, copyContext }) {
    const [, from, source, target] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/.exec(text) ?? [];
    if (from) {
      const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
      cpSync(join(stages.get(from).root, source), join(stage.root, target), options);
      return;
    }
    if (source !== '.' || target !== '.') throw new Error(`only the whole context is copied here, and not ${text}`);
    copyContext(join(stage.root, stage.folder));
  },
  RUN({ stage, text, ofMachine }) {
    const env = { ...ofMachine, ...stage.args, ...stage.env, HOME: '/root' };
    const command = inChroot({ ...stage, env, user: '0:0' }, ['/bin/sh', '-c', text]);
    const { status } = spawnSync(command[0], command.slice(1), { stdio: 'inherit', env });
    if (status !== 0) throw new Error(`RUN ended with ${status}`);
  },
  ENV({ stage, text }) {
    const at = text.indexOf('=');
    stage.env[text.slice(0, at)] = text.slice(at + 1);
  },
  USER({ stage, text }) {
    stage.user = text;
  },
  HEALTHCHECK({ stage, text }) {
    stage.healthcheck = JSON.parse(text.slice(text.indexOf('[')));
  },
  ENTRYPOINT({ stage, text }) {
    stage.entrypoint = JSON.parse(text);
  },
  VOLUME() {},
  EXPOSE() {},
  STOPSIGNAL() {},
};

/**
 * The command that runs another one in a stage, in mounts of its own.
 * @param {{ isReadOnly?: boolean, data?: string }} [options] `data` is mounted at DATA_DIR
 */
export function inChroot({ root, folder, user, env }, command, { isReadOnly = false, data } = {}) {
  const mounts = [
    'mount --make-rprivate /',
    'mount --bind "$0" "$0"',
    ...(isReadOnly ? ['mount -o remount,bind,ro "$0"', 'mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"'] : []),
    'mount -t proc proc "$0/proc"',
    'mount --rbind /dev "$0/dev"',
    ...(data ? [`mount --bind '${data}' "$0${env.DATA_DIR}"`] : []),
  ];
  const enter = `exec chroot --userspec=${user} "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$@"`;
  return ['unshare', '--mount', '/bin/sh', '-c', [...mounts, enter].join(' && '), root, folder, ...command];
}
