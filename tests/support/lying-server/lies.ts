import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import type { Asked, Lie } from './lying-server.ts';

/** The lies of a server about a folder, its key and its files. */

/** Facts of a folder that can be replaced, by column name. */
export type FolderFacts = Partial<Pick<Folder, 'link_mode' | 'hide_names' | 'bucket_storage_path' | 'expires_at'>>;

const jsonOf = ({ body }: Asked): Record<string, unknown> => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
};

const isCall = (name: string) => (asked: Asked) => asked.path === `${PATHS.rpc}/${name}`;
const asksFor = (slug: string | null) => (asked: Asked) =>
  isCall('get_folder_complete_data')(asked) && (slug === null || jsonOf(asked).input_folder_slug === slug);
const isUnder = (path: string, slug: string | null, asked: Asked) =>
  asked.path.startsWith(`${path}/`) && (slug === null || asked.path.split('/')[path.split('/').length] === slug);

/** The consolidated answer has other names for the same facts. */
const consolidated = ({ hide_names, ...facts }: FolderFacts): Partial<FolderCompleteData> => ({
  ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [`folder_${name}`, value])),
  ...(hide_names === undefined ? {} : { hide_names }),
});

/** Replaces these facts in each answer about the folder; without a slug, about any folder. */
export const folderIs = (slug: string | null, facts: FolderFacts): Lie[] => [
  {
    about: asksFor(slug),
    change: (honest: FolderCompleteData) => ({ ...honest, ...consolidated(facts) }),
  },
  { about: (asked) => isUnder(PATHS.folders, slug, asked), change: (honest: Folder) => ({ ...honest, ...facts }) },
];

/** The folder has ended: on this answer a device deletes its keys (CONTAINER §3 "Life of keys"). */
export const folderIsOver = (slug: string): Lie => ({
  about: asksFor(slug),
  change: () => ({ folder_slug: slug, folder_expires_at: new Date(Date.now() - 1000).toISOString() }),
});

/** Another folder under the same slug. */
export const folderIsAnother = (slug: string, other: FolderCompleteData): Lie => ({
  about: asksFor(slug),
  change: () => ({ ...other, folder_slug: slug }),
});

/** The consolidated answer fails: the page reads the folder directly, without owner's name and path to the key. */
export const onlyReadDirectly = (slug: string): Lie => ({
  about: asksFor(slug),
  instead: () => ({ status: 500, body: { error: { code: 'unexpected', message: 'Out of order' } } }),
});

/** A call of the owner on the folder is answered with other facts. */
export const actSays = (
  name: 'create_folder_with_temp_key' | 'update_folder_settings',
  facts: FolderFacts | ((folder: Folder) => FolderFacts),
): Lie => ({
  about: isCall(name),
  change: (honest: { folder: Folder }) => ({
    ...honest,
    folder: { ...honest.folder, ...(typeof facts === 'function' ? facts(honest.folder) : facts) },
  }),
});

/** Lies that begin after a call was answered, not before. */
export const afterAct = (name: string, then: () => void): Lie => ({
  about: isCall(name),
  change: (honest: unknown) => {
    then();
    return honest;
  },
});

/** The folder's key service gives this answer to every request. */
export const keyIs = (slug: string | null, body: Readonly<Record<string, unknown>>): Lie => ({
  about: (asked) => isUnder(PATHS.key, slug, asked),
  instead: () => ({ status: 200, body }),
});

/** Replaces the list of the files at a path. */
export const listIs = (storagePath: string, change: (entries: FileEntry[]) => readonly FileEntry[]): Lie => ({
  about: (asked) => asked.path.startsWith(`${PATHS.list}/`) && jsonOf(asked).prefix === storagePath,
  change,
});

/** Serves the bytes of another stored file at an address; both are `{bucket}/{path}`. */
export const bytesAre = (ofPath: string, others: string): Lie => ({
  about: ({ path }) => path === `${PATHS.objectPublic}/${ofPath}`,
  path: `${PATHS.objectPublic}/${others.split('/').map(encodeURIComponent).join('/')}`,
});
