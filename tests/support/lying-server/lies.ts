import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry, Folder } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import type { Asked, Lie } from './lying-server.ts';

/** What a lying server says of a folder, its key and its files. */

/** What a folder's facts may say otherwise, by the names of the table. */
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

/** The consolidated answer calls the same facts otherwise. */
const consolidated = ({ hide_names, ...facts }: FolderFacts): Partial<FolderCompleteData> => ({
  ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [`folder_${name}`, value])),
  ...(hide_names === undefined ? {} : { hide_names }),
});

/** Wherever the folder is asked for, these facts are other ones; of every folder where no slug is given. */
export const folderIs = (slug: string | null, facts: FolderFacts): Lie[] => [
  {
    about: asksFor(slug),
    change: (honest: FolderCompleteData) => ({ ...honest, ...consolidated(facts) }),
  },
  { about: (asked) => isUnder(PATHS.folders, slug, asked), change: (honest: Folder) => ({ ...honest, ...facts }) },
];

/** The folder is over: an answer by which a device forgets its keys (CONTAINER §3 "Life of keys"). */
export const folderIsOver = (slug: string): Lie => ({
  about: asksFor(slug),
  change: () => ({ folder_slug: slug, folder_expires_at: new Date(Date.now() - 1000).toISOString() }),
});

/** The folder is another one altogether, under its own slug. */
export const folderIsAnother = (slug: string, other: FolderCompleteData): Lie => ({
  about: asksFor(slug),
  change: () => ({ ...other, folder_slug: slug }),
});

/** The folder can only be read directly: without its owner's name and without the way to its key. */
export const onlyReadDirectly = (slug: string): Lie => ({
  about: asksFor(slug),
  instead: () => ({ status: 500, body: { error: { code: 'unexpected', message: 'Out of order' } } }),
});

/** An act of the owner's on the folder is answered with other facts. */
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

/** What is said once an act was answered: the lies hold from then on, and no earlier. */
export const afterAct = (name: string, then: () => void): Lie => ({
  about: isCall(name),
  change: (honest: unknown) => {
    then();
    return honest;
  },
});

/** The folder's key service answers this, whatever it is asked. */
export const keyIs = (slug: string | null, body: Readonly<Record<string, unknown>>): Lie => ({
  about: (asked) => isUnder(PATHS.key, slug, asked),
  instead: () => ({ status: 200, body }),
});

/** The list of the files at a place is another one. */
export const listIs = (storagePath: string, change: (entries: FileEntry[]) => readonly FileEntry[]): Lie => ({
  about: (asked) => asked.path.startsWith(`${PATHS.list}/`) && jsonOf(asked).prefix === storagePath,
  change,
});

/** At the address of one stored file there are the bytes of another; both are `{bucket}/{path}`. */
export const bytesAre = (ofPath: string, others: string): Lie => ({
  about: ({ path }) => path === `${PATHS.objectPublic}/${ofPath}`,
  path: `${PATHS.objectPublic}/${others.split('/').map(encodeURIComponent).join('/')}`,
});
