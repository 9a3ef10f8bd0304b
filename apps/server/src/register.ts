import { registerByConfig } from './admin/register-command.ts';
import { RegistrationError } from './bot/register.ts';
import { ConfigError, loadConfig } from './config.ts';

/** `npm run bot:register`, the same as `satchel-admin bot register`, of which nothing has to be built. */

async function run(): Promise<void> {
  process.stdout.write(`satchel: ${await registerByConfig(loadConfig())}\n`);
}

function fail(error: unknown): never {
  const isKnown = error instanceof ConfigError || error instanceof RegistrationError;
  const text = isKnown ? error.message : `could not register: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`satchel: ${text}\n`);
  process.exit(1);
}

run().then(() => process.exit(0), fail);
