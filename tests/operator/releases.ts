import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * The release of this commit, and one that follows it: the same but for its version and one migration more, so that an
 * upgrade has to migrate, and the way back has something to undo.
 */
export interface Releases {
  readonly version: string;
  readonly next: string;
  /** The folders that `npm run release` has made. */
  readonly folder: string;
  readonly nextFolder: string;
}

const ROOT = join(import.meta.dirname, '../..');
const MIGRATIONS = 'apps/server/src/platform/database/migrations.ts';
const PREPARED = ['node_modules', 'apps/*/node_modules', 'packages/*/node_modules', 'tests/node_modules'];

/** Changes what is there and adds what is new, as migrations do: the version of before reads neither. */
const nextMigration = (id: number) => `  {
    id: ${id},
    name: 'what a next version may bring',
    statements: [
      "alter table folders add column trial_word text not null default 'new'",
      'alter table uploads add column trial_word text',
      'create table trial_words (word text primary key)',
      "insert into trial_words select 'word ' || id from folders",
    ],
  },
];
`;

function nextOf(version: string): string {
  const [major, minor, patch] = version.split('.').map(Number);
  return `${major}.${minor}.${(patch ?? 0) + 1}`;
}

const gitIn =
  (cwd: string) =>
  (...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

/** A checkout of the commit with the packages of this one: building it changes nothing here. */
function cloneTo(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, folder]);
  for (const path of globSync(PREPARED, { cwd: ROOT })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    execFileSync('cp', ['-a', '--reflink=auto', join(ROOT, path), join(folder, path)]);
  }
  if (existsSync(join(ROOT, '.runtime')))
    cpSync(join(ROOT, '.runtime'), join(folder, '.runtime'), { recursive: true, verbatimSymlinks: true });
}

function build(checkout: string, out: string): void {
  execFileSync(process.execPath, ['scripts/launch.mjs', 'release', '--runtime', '--out', out], {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function writeNext(checkout: string, { version, next }: Pick<Releases, 'version' | 'next'>): void {
  for (const path of ['package.json', 'apps/server/package.json']) {
    const manifest = join(checkout, path);
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(`"version": "${version}"`, `"version": "${next}"`));
  }
  const migrations = readFileSync(join(checkout, MIGRATIONS), 'utf8');
  const ids = [...migrations.matchAll(/^ {4}id: (\d+),$/gm)].map(([, id]) => Number(id));
  const list = /\n\];\n/;
  writeFileSync(
    join(checkout, MIGRATIONS),
    migrations.replace(list, () => `\n${nextMigration(Math.max(...ids) + 1)}`),
  );
  const git = gitIn(checkout);
  git('-c', 'user.name=Trial', '-c', 'user.email=trial@example.org', 'commit', '--quiet', '--all', '--message', 'Next');
}

export function readVersions(): Pick<Releases, 'version' | 'next'> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return { version, next: nextOf(version) };
}

/** @returns the two releases, built where they are not of this commit yet */
export function makeReleases(work: string): Releases {
  const commit = gitIn(ROOT)('rev-parse', 'HEAD');
  const built = { ...readVersions(), folder: join(work, 'release'), nextFolder: join(work, 'next-release') };
  const mark = join(work, 'commit');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === commit) return built;
  rmSync(mark, { force: true });
  const checkout = join(work, 'checkout');
  cloneTo(checkout);
  build(checkout, built.folder);
  writeNext(checkout, built);
  build(checkout, built.nextFolder);
  rmSync(checkout, { recursive: true, force: true });
  writeFileSync(mark, commit);
  return built;
}

/** The archive with Node and PostgreSQL, for this processor. */
export function archiveIn(folder: string): string {
  const [found] = globSync('satchel-*-linux-*.tar.gz', { cwd: folder });
  if (!found) throw new Error(`${folder} has no archive for Linux`);
  return basename(found);
}
