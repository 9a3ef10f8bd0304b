import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** npm's own script, so that it runs under the Node we choose; undefined when only a shell could find it. */
function findNpmCli() {
  const beside = dirname(realpathSync(process.execPath));
  const candidates = [
    process.env.npm_execpath,
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm')),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  for (const candidate of candidates) {
    if (!candidate || !existsSync(candidate)) continue;
    const real = realpathSync(candidate);
    if (basename(real) === 'npm-cli.js') return real;
  }
  return undefined;
}

/**
 * Runs npm quietly and keeps what it says.
 * @returns {Promise<{ code: number, output: string }>} code 127 when there is no npm
 */
export function runNpm(args, { cwd, onStart = () => {} }) {
  const cli = findNpmCli();
  const [command, prefix] = cli ? [process.execPath, [cli]] : ['npm', []];
  // npm hands its own project's folder down to what it runs; a nested npm must find its project by itself.
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  for (const name of ['npm_config_local_prefix', 'npm_command', 'npm_lifecycle_event', 'npm_lifecycle_script']) {
    delete env[name];
  }
  return new Promise((resolve) => {
    const child = spawn(command, [...prefix, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    if (child.pid) onStart(child.pid);
    child.on('error', () =>
      resolve({ code: 127, output: 'npm was not found. It comes with Node: https://nodejs.org' }),
    );
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
