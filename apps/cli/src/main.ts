import './old-node.ts';
import { renderUnicodeCompact } from 'uqr';
import { readPerson, signIn, signOut } from './account.ts';
import { AGENT_PORT, runAgent } from './agent.ts';
import { copy } from './clipboard.ts';
import { lastOrigin, originOf, readSignIn, type SignIn } from './device/sign-ins.ts';
import { stateRoot } from './device/state-folder.ts';
import { listFolders } from './folder.ts';
import { findFiles, get, getToStdout } from './get.ts';
import { readLink } from './links.ts';
import { CommandError, EXIT, type ExitCode, failureOf, UsageError } from './outcome.ts';
import { put } from './put.ts';
import { remove } from './remove.ts';
import { openSite, type Site } from './site.ts';
import { draw, print, printable, say } from './terminal.ts';
import { parseCommandLine, parseHours, type Typed } from './usage/command-line.ts';
import { COMMANDS } from './usage/commands.ts';
import { completionFor, helpOf, manPage, overview } from './usage/manual.ts';
import { readReleaseManifest } from './verify/release-manifest.ts';
import { compareSite, UNPROVEN } from './verify/verify.ts';
import { VERSION } from './version.ts';

/** The command line: `satchel COMMAND`. */

/** What a command prints: lines for people and pipes, an object for `--json`. */
interface Answer {
  readonly exitCode?: ExitCode;
  /** Goes to stdout where the command is done; to stderr otherwise. */
  readonly text: string;
  readonly json: object;
}

interface Run {
  readonly typed: Typed;
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
}

/** `name: value`, where there is one: no property is undefined. */
const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [_ in Name]?: string };

/** The sign-in at a site, or the last one. @throws CommandError where there is none */
async function requireSignIn(root: string, site: string | undefined): Promise<SignIn> {
  const origin = site === undefined ? await lastOrigin(root) : originOf(site);
  const found = origin ? await readSignIn(root, origin) : null;
  if (found) return found;
  const where = site === undefined ? '' : ` at ${site}`;
  throw new CommandError(EXIT.refused, 'auth.required', `You are not signed in${where}. Run: satchel login SITE`);
}

const siteOfLink = async (root: string, origin: string): Promise<Site> =>
  openSite(root, origin, await readSignIn(root, origin));

const passphraseOf = (typed: Typed) => optional('passphraseFile', typed.value('passphrase-file'));

async function runPut({ typed, env, root }: Run): Promise<Answer> {
  if (typed.operands.length === 0) throw new UsageError('upload what? Name files and directories, or - for a pipe');
  if (typed.operands.includes('-') && typed.operands.length > 1)
    throw new UsageError('- is a pipe: no file can be named beside it');
  const to = typed.value('to');
  const isNew = ['name', 'expires', 'passphrase', 'discord', 'plain', 'show-names'].filter((flag) => typed.has(flag));
  const [odd] = to === undefined ? [] : isNew.filter((flag) => flag !== 'name' || typed.operands[0] !== '-');
  if (odd) throw new UsageError(`--${odd} is for a new folder, but --to names one that exists`);
  if (typed.has('discord') && typed.has('plain')) throw new UsageError('--discord and --plain exclude each other');
  const linkMode = typed.has('plain') ? 'plain' : typed.has('discord') ? 'discord' : 'private';
  const wantsPassphrase = typed.has('passphrase') || (to === undefined && typed.has('passphrase-file'));
  if (wantsPassphrase && linkMode !== 'private') throw new UsageError(`a --${linkMode} link has no passphrase`);
  const link = to !== undefined && /^@|:\/\//.test(to) ? await readLink(to, env) : null;
  const site = await openSite(root, ...(await signedInAt(root, link?.origin ?? typed.value('site'))));
  const wish = {
    paths: typed.operands,
    ...(to !== undefined && { to: link ?? to }),
    ...optional('name', typed.value('name')),
    lifetimeHours: parseHours(typed.value('expires')),
    linkMode,
    hidesNames: !typed.has('show-names'),
    passphrase: typed.has('passphrase'),
    ...passphraseOf(typed),
    keepsMetadata: typed.has('keep-metadata'),
  } as const;
  const { exitCode, link: text, ...facts } = await put(site, wish, root);
  for (const { path, reason } of facts.skipped) say(`skipped: ${path}: ${reason}`);
  if (facts.there > 0) say(`${facts.there} ${facts.there === 1 ? 'file was' : 'files were'} in the folder already`);
  if (typed.has('qr')) draw(renderUnicodeCompact(text, { border: 2 }));
  if (typed.has('copy') && !(await copy(text, env))) {
    say('not copied: there is no clipboard here, or none of pbcopy, clip, wl-copy, xclip and xsel');
  }
  return { exitCode, text, json: { link: text, ...facts } };
}

async function signedInAt(root: string, site: string | undefined): Promise<[string, SignIn]> {
  const known = await requireSignIn(root, site);
  return [known.origin, known];
}

async function runGet({ typed, env, root }: Run): Promise<Answer> {
  const link = await readLink(typed.operands[0], env);
  const site = await siteOfLink(root, link.origin);
  const wish = { ...link, only: typed.values('only'), ...passphraseOf(typed) };
  if (typed.has('list')) return listFiles(site, wish);
  if (typed.has('stdout')) {
    await getToStdout(site, wish);
    return { text: '', json: {} };
  }
  const result = await get(site, { ...wish, into: typed.value('output') ?? '.', overwrites: typed.has('force') });
  return { exitCode: result.exitCode, text: result.files.map(({ path }) => printable(path)).join('\n'), json: result };
}

async function listFiles(site: Site, wish: Parameters<typeof findFiles>[1]): Promise<Answer> {
  const { opened, files } = await findFiles(site, wish);
  const rows = files.map(({ path, sizeBytes, modifiedMs }) => ({
    path,
    size: sizeBytes,
    modified_at: modifiedMs === null ? null : new Date(modifiedMs).toISOString(),
  }));
  const { folder_slug: slug, folder_name: name, folder_expires_at: expires_at } = opened.data;
  const text = rows.map(({ path, size }) => `${String(size).padStart(12)}  ${printable(path)}`).join('\n');
  return { text, json: { folder: { slug, name, expires_at }, files: rows } };
}

async function runList({ typed, env, root }: Run): Promise<Answer> {
  if (typed.operands.length > 0 || env.SATCHEL_LINK) {
    const link = await readLink(typed.operands[0], env);
    return listFiles(await siteOfLink(root, link.origin), { ...link, only: [], ...passphraseOf(typed) });
  }
  const site = await openSite(root, ...(await signedInAt(root, typed.value('site'))));
  const folders = await listFolders(site);
  const rows = folders.map(({ slug, name, expires_at, size_bytes, file_count, link_mode }) => ({
    address: `${site.origin}/f/${slug}`,
    name,
    link_mode,
    file_count,
    size_bytes,
    expires_at,
  }));
  const text = rows
    .map(
      ({ address, name, file_count, expires_at }) =>
        `${address}  ${expires_at}  ${file_count}  ${printable(name ?? '')}`,
    )
    .join('\n');
  return { text, json: { folders: rows } };
}

async function runRemove({ typed, env, root }: Run): Promise<Answer> {
  const [operand, ...paths] = typed.operands;
  const link = await readLink(operand, env);
  const site = await siteOfLink(root, link.origin);
  const deleted = await remove(site, { ...link, paths, asksNothing: typed.has('yes'), ...passphraseOf(typed) });
  return { text: '', json: { deleted: deleted ?? 'folder' } };
}

async function runLogin({ typed, root }: Run): Promise<Answer> {
  const [operand] = typed.operands;
  const origin = operand === undefined ? await lastOrigin(root) : originOf(operand);
  if (!origin) throw new UsageError('which site? An https address: satchel login files.example.org');
  const { name, userId } = await signIn(root, origin);
  say(`Signed in at ${origin} as ${name}`);
  return { text: '', json: { site: origin, user: { id: userId, name } } };
}

async function runWhoami({ typed, root }: Run): Promise<Answer> {
  const known = await requireSignIn(root, typed.value('site'));
  const { id, name } = await readPerson(await openSite(root, known.origin, known));
  return { text: `${printable(name)} at ${known.origin}`, json: { site: known.origin, user: { id, name } } };
}

async function runLogout({ typed, root }: Run): Promise<Answer> {
  const known = await requireSignIn(root, typed.operands[0]);
  await signOut(root, known, typed.has('keys'));
  return { text: '', json: { site: known.origin } };
}

async function runAgentCommand({ typed, root }: Run): Promise<Answer> {
  const port = Number(typed.value('port') ?? AGENT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UsageError('--port takes a number up to 65535');
  const site = await openSite(root, ...(await signedInAt(root, typed.value('site'))));
  await runAgent(site, root, {
    port,
    isOneEach: typed.has('each'),
    ...optional('sxcu', typed.value('sxcu')),
    ...optional('iscu', typed.value('iscu')),
    lifetimeHours: parseHours(typed.value('expires')),
    linkMode: typed.has('discord') ? 'discord' : 'private',
    keepsMetadata: typed.has('keep-metadata'),
  });
  return { text: '', json: {} };
}

async function runVerify({ typed, root }: Run): Promise<Answer> {
  const named = typed.operands[0];
  const origin = named === undefined ? await lastOrigin(root) : originOf(named);
  if (!origin) throw new UsageError('which site? An https address: satchel verify files.example.org');
  const manifest = await readReleaseManifest(typed.value('manifest'));
  const compared = await compareSite(origin, manifest);
  const { differences, release, own_origins: own } = compared;
  const lines = differences.map(({ path, text }) => printable(`${path}: ${text}`));
  // The differences are the result of this command, so they go to stdout, also with exit code 4.
  if (!typed.has('json') && lines.length > 0) await print(`${lines.join('\n')}\n`);
  const outcome = lines.length === 0 ? 'serves the pages and files' : `differs in ${lines.length} places from those`;
  say(`${origin} ${outcome} of release ${release.version}, manifest SHA-256 ${release.manifest_sha256}`);
  if (own.length > 0)
    say(`By its own settings, which no release has, its pages may also fetch files from ${own.join(' ')}`);
  say('What this can’t show:');
  for (const text of UNPROVEN) say(`- ${text}`);
  const exitCode = lines.length === 0 ? EXIT.done : EXIT.forged;
  return { exitCode, text: '', json: { ...compared, unproven: UNPROVEN } };
}

async function runCompletion({ typed }: Run): Promise<Answer> {
  const [shell = ''] = typed.operands;
  const text = shell === 'man' ? manPage(VERSION) : completionFor(shell);
  if (text === null) throw new UsageError('which? bash, zsh, fish or man');
  return { text: text.trimEnd(), json: { text } };
}

const RUNS: Readonly<Record<string, (run: Run) => Promise<Answer>>> = {
  put: runPut,
  get: runGet,
  ls: runList,
  rm: runRemove,
  login: runLogin,
  whoami: runWhoami,
  logout: runLogout,
  agent: runAgentCommand,
  verify: runVerify,
  completion: runCompletion,
};

/** Runs one command line. @returns its exit code */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const isJson = args.includes('--json');
  const [name = ''] = args;
  try {
    if (name === '' || name === '--help' || name === '-h') {
      await print(overview());
      return name === '' ? EXIT.usage : EXIT.done;
    }
    if (name === '--version') {
      await print(`satchel ${VERSION}\n`);
      return EXIT.done;
    }
    const typed = parseCommandLine(args);
    if (typed.has('help')) {
      await print(helpOf(COMMANDS.find((command) => command.name === name) ?? typed.command));
      return EXIT.done;
    }
    const {
      exitCode = EXIT.done,
      text,
      json,
    } = await (RUNS[name] as (run: Run) => Promise<Answer>)({
      typed,
      env,
      root: stateRoot(env),
    });
    if (isJson) await print(`${JSON.stringify({ exit_code: exitCode, ...json })}\n`);
    else if (text !== '' && exitCode === EXIT.done) await print(`${text}\n`);
    else if (text !== '') say(text);
    return exitCode;
  } catch (error) {
    const { exitCode, code, message } = failureOf(error);
    if (isJson) await print(`${JSON.stringify({ exit_code: exitCode, error: { code, message } })}\n`);
    say(`satchel: ${message}`);
    return exitCode;
  }
}

const interrupt = () => {
  say('Interrupted. Run the same command again: it continues where it stopped');
  process.exit(EXIT.interrupted);
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
// A reader that wants no more, such as head.
process.stdout.on('error', () => process.exit(EXIT.done));

const exitCode = await run(process.argv.slice(2), process.env);
// Connections that are kept open don't keep the command.
process.exit(exitCode);
