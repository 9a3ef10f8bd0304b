import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeBlock } from './fenced-blocks.ts';
import { DEPLOY, type Operator, readPage, say } from './operator.ts';
import { archiveIn } from './releases.ts';

/** The parts of a trial. `install` begins each; the others leave the site as they found it, or with more in it. */

/** The name that docs/deploy.md has everywhere, so that no line has to be changed for it. */
export const ADDRESS = 'files.example.org';

const RELEASE = readPage('release.md');
const UNIT = '/etc/systemd/system/satchel.service';
/** systemd-analyze only warns of a line that it ignores; here such a line is a fault. */
const VERIFY_UNIT = `systemd-analyze verify ${UNIT} && ! systemd-analyze verify ${UNIT} 2>&1 | grep -F satchel.service`;
const SETTINGS = '/etc/satchel.env';
const CREDENTIALS = '/etc/satchel/credentials';
const BOT_TOKEN = randomBytes(24).toString('base64url');
/** Files that this and visitors.ts know: the slow upload has sent its first bytes; it is to end. */
const [SENDING, HURRY] = ['sending', 'hurry'];
const LOOK_MS = 100;
const CLIENT = { id: '100000000000000001', secret: randomBytes(24).toString('base64url') };

/** What the pages have `apt-get` install, without what is only recommended, to save time. */
export function packages(): string {
  const lines = DEPLOY.flatMap(({ text }) =>
    text.split('\n').filter((line) => line.startsWith('sudo apt-get install')),
  );
  const names = lines.flatMap((line) => line.replace('sudo apt-get install', '').split(' ')).filter(Boolean);
  say(`installs ${names.join(', ')}`);
  return `apt-get -q update && apt-get -qy --no-install-recommends install ${names.join(' ')}`;
}

/** Ed25519, 64 hex characters each: the ends of their encodings (RFC 8410). */
function newKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('hex'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
  };
}

/** The sandbox stands in for Discord, from the release, as a user of its own. */
async function startSandbox({ paste, releases }: Operator, privateKey: string): Promise<void> {
  const folder = `/opt/satchel-${releases.version}`;
  const settings = {
    SANDBOX_CLIENT_ID: CLIENT.id,
    SANDBOX_CLIENT_SECRET: CLIENT.secret,
    SANDBOX_REDIRECT_URIS: `https://${ADDRESS}/auth/v1/callback`,
    SANDBOX_PRIVATE_KEY: privateKey,
    SANDBOX_BOT_TOKEN: BOT_TOKEN,
    // It calls the site as Discord does.
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  };
  const given = Object.entries(settings).map(([name, value]) => `--setenv=${name}=${value}`);
  const command = `${folder}/.runtime/node_modules/node/bin/node ${folder}/packages/discord-sandbox/src/main.ts`;
  await paste(`systemd-run --unit=discord --property=DynamicUser=yes ${given.join(' ')} ${command}`);
}

/** Signature, archive, settings, the release's unit, and nginx. */
export async function install(operator: Operator): Promise<void> {
  const { paste, follow, write, releases, maintainer, untilReady } = operator;
  // As docs/release.md says, but for a key of a file where it has one of a token.
  const signing = takeBlock(RELEASE, 'ssh-keygen -Y sign', [
    ['-t ed25519-sk', "-t ed25519 -N ''"],
    ['~/', `${maintainer.home}/`],
  ]);
  maintainer.publish(signing);
  await paste(`cd /root\n${takeBlock(RELEASE, 'ssh-keygen -Y verify')}`);
  say('signature and sums of the release are right');
  await follow(`${CREDENTIALS}\n`, [
    [`satchel-${releases.version}-linux-x64.tar.gz`, archiveIn(releases.folder)],
    ['<the Client Secret of section 1>', CLIENT.secret],
  ]);
  const discord = newKeyPair();
  const settings = takeBlock(DEPLOY, 'TRUST_PROXY=127.0.0.1/32', [
    ['DISCORD_CLIENT_ID=…', `DISCORD_CLIENT_ID=${CLIENT.id}`],
    ['DISCORD_CLIENT_SECRET=…\n', ''],
    ['DISCORD_PUBLIC_KEY=…', `DISCORD_PUBLIC_KEY=${discord.publicKey}`],
  ]);
  // The one setting that no page has people make: Discord itself is not to be had here.
  write(SETTINGS, `${settings}\nDISCORD_API_URL=http://localhost:3001/api/v10`);
  await paste(`chmod 600 ${SETTINGS}`);
  maintainer.certify(ADDRESS);
  await paste('update-ca-certificates');
  await startSandbox(operator, discord.privateKey);
  await paste(VERIFY_UNIT);
  await follow('systemctl enable --now satchel', [['curl -f http://127.0.0.1:3000/readyz', '']]);
  await untilReady();
  say(await paste('systemctl show satchel -p User,NRestarts,ActiveState,LimitNOFILE | tr "\\n" " "'));
  write('/etc/nginx/sites-available/satchel', takeBlock(DEPLOY, 'map $http_upgrade'));
  await follow('sites-enabled/satchel');
}

/** The bot's commands, by the operator's command, at the Discord that the sandbox plays. */
async function bot({ paste }: Operator): Promise<void> {
  const lines = takeBlock(readPage('discord.md'), 'satchel bot register', [
    ['DISCORD_BOT_TOKEN=…', `DISCORD_BOT_TOKEN=${BOT_TOKEN}`],
  ]);
  say(await paste(lines));
}

const latest = async ({ paste }: Operator, folder: string) => (await paste(`ls -1d ${folder}/* | tail -1`)).trim();

/** Backup, wipe and restore: with the key shares, and without. */
async function restore(operator: Operator): Promise<void> {
  const { paste, follow, untilReady, visitors } = operator;
  await visitors('fill');
  await follow('satchel backup "/var/backups');
  const backup = await latest(operator, '/var/backups/satchel');
  for (const keepsKeys of [true, false]) {
    await paste('rm -rf /var/lib/satchel.before');
    const output = await follow('mv /var/lib/satchel /var/lib/satchel.before', [
      ['/var/backups/satchel/2026-11-23-0400', backup],
      ...(keepsKeys ? ([['#sudo mv', 'sudo mv']] as const) : []),
    ]);
    say(output);
    await untilReady();
    await visitors(keepsKeys ? 'check' : 'check-without-keys');
  }
}

/** The unit for a checkout, with the secret among the settings, and a Node of the machine. */
async function unit({ paste, read, write, untilReady }: Operator): Promise<void> {
  const [own, settings] = [read(UNIT), read(SETTINGS)];
  write(UNIT, takeBlock(DEPLOY, 'ExecStart=/usr/bin/node'));
  write(SETTINGS, `${settings}\nDISCORD_CLIENT_SECRET=${CLIENT.secret}`);
  await paste('ln -s /opt/satchel/.runtime/node_modules/node/bin/node /usr/bin/node');
  await paste(`${VERIFY_UNIT} && systemctl daemon-reload && systemctl restart satchel`);
  await untilReady();
  say('the unit for a checkout serves the site, too');
  write(UNIT, own);
  write(SETTINGS, settings);
  await paste('rm /usr/bin/node && systemctl daemon-reload && systemctl restart satchel');
  await untilReady();
}

/** To Debian's PostgreSQL, with DATABASE_URL as a secret of the unit, and back to the embedded one. */
async function postgres({ paste, follow, read, write, untilReady, visitors }: Operator): Promise<void> {
  await visitors('fill');
  const own = read(UNIT);
  const password = randomBytes(24).toString('hex');
  const create = takeBlock(DEPLOY, 'createuser --pwprompt').replace(/^sudo apt-get install postgresql\n/, '');
  await paste('systemctl start postgresql');
  await paste(create, `${password}\n${password}\n`);
  say(await paste('sudo -u postgres psql -Atc "show server_version"'));
  await follow('other-postgres --rows');
  write(`${CREDENTIALS}/DATABASE_URL`, `postgresql://satchel:${password}@127.0.0.1/satchel`);
  write(UNIT, own.replace('#LoadCredential=DATABASE_URL', 'LoadCredential=DATABASE_URL'));
  await paste(`chmod 600 ${CREDENTIALS}/DATABASE_URL && systemctl daemon-reload`);
  say(await follow('restore /var/backups/satchel/other-postgres'));
  await untilReady();
  await visitors('check');

  await visitors('fill');
  await paste('rm -rf /var/backups/satchel/other-postgres /var/lib/satchel/postgres.before');
  await follow('other-postgres --rows', [['sudo mv /var/lib/satchel/postgres /var/lib/satchel/postgres.before', '']]);
  write(UNIT, own);
  await paste(`rm ${CREDENTIALS}/DATABASE_URL && systemctl daemon-reload`);
  say(await follow('restore /var/backups/satchel/other-postgres'));
  await untilReady();
  await visitors('check');
}

/** An upgrade that migrates, and the way back, with an upload that waits and one that runs all the while. */
async function upgrade(operator: Operator): Promise<void> {
  const { paste, follow, untilReady, visitors, visitorsFolder, releases } = operator;
  const { next, nextFolder } = releases;
  await visitors('fill');
  await visitors('begin-slowly');
  const running = visitors('upload-slowly');
  let hasEnded = false;
  // It is awaited below; what fails before is said first.
  const end = () => (hasEnded = true);
  running.then(end, end);
  // Before its first bytes it would sign in at a site that restarts.
  while (!hasEnded && !existsSync(join(visitorsFolder, SENDING))) await sleep(LOOK_MS);
  await follow(`ln -sfn /opt/satchel-${next} /opt/satchel`, [
    [`satchel-${next}-linux-x64.tar.gz`, archiveIn(nextFolder)],
  ]);
  await untilReady();
  say(await paste('satchel status'));
  await visitors('check');
  await visitors('add');
  const rows = await latest(operator, '/var/lib/satchel/backups');
  say(await follow('postgres.upgraded', [['/var/lib/satchel/backups/2026-11-23T04-00-00Z-step-20', rows]]));
  await untilReady();
  say(await paste('satchel status'));
  await visitors('check');
  writeFileSync(join(visitorsFolder, HURRY), '');
  await running;
  say(await paste('satchel fsck --hash'));
}

/** Key shares in memory. The last part: it leaves the shares of before behind. */
async function keys({ paste, read, write, untilReady, visitors }: Operator): Promise<void> {
  write('/etc/fstab', takeBlock(DEPLOY, 'tmpfs /var/lib/satchel-keys'));
  write(SETTINGS, `${read(SETTINGS)}\nKEYS_DIR=/var/lib/satchel-keys`);
  const mounts = 'RequiresMountsFor=/var/lib/satchel';
  write(
    UNIT,
    read(UNIT).replace('#ReadWritePaths=', 'ReadWritePaths=').replace(mounts, `${mounts} /var/lib/satchel-keys`),
  );
  await paste('systemctl daemon-reload && systemctl restart satchel');
  await untilReady();
  say(await paste('findmnt --noheadings /var/lib/satchel-keys'));
  await visitors('fill');
  if (!(await paste('find /var/lib/satchel-keys -type f'))) throw new Error('No key share is in memory');
  await visitors('check');
}

export const PARTS = { bot, restore, unit, postgres, upgrade, keys };
