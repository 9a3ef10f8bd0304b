import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { type FolderName, type FolderRow, folderNamesOf, ownFolder } from '../domain/access/find-folder.ts';
import type { Queryable } from '../platform/database/db.ts';
import type { BotDeps, Choice } from './command.ts';
import type { KnownCaller, Typing } from './interaction.ts';
import type { Language } from './language.ts';
import { cut, folderLabel, fromNowText } from './wording.ts';

/** The `folder` option of all four commands: one of the caller's own folders. */

/** Discord's limits of an autocompletion. */
const MAX_CHOICES = 25;
const MAX_CHOICE_NAME = 100;

const comparable = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/** Names of the choices. If folders share a name, the second and later ones get a number. */
function toChoices(folders: readonly FolderName[], language: Language): Choice[] {
  const seen = new Map<string, number>();
  return folders.map((folder) => {
    const label = folderLabel(folder, language);
    const number = (seen.get(comparable(label)) ?? 0) + 1;
    seen.set(comparable(label), number);
    const end = `${number > 1 ? ` (${number})` : ''} · ${fromNowText(folder.expires_at, language)}`;
    return { name: cut(label, MAX_CHOICE_NAME - end.length) + end, value: folder.id };
  });
}

/** The caller's own folders whose names contain the typed text: first names that begin with it, then the newest. */
export async function chooseFolder({ db }: BotDeps, typing: Typing): Promise<readonly Choice[]> {
  const { profile } = typing;
  if (!profile) return [];
  const typed = comparable(String(typing.options[typing.focused] ?? ''));
  const found = (await folderNamesOf(db, { profile_id: profile.id }))
    .map((folder) => ({ folder, at: comparable(folderLabel(folder, typing.language)).indexOf(typed) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => Math.min(a.at, 1) - Math.min(b.at, 1));
  return toChoices(
    found.slice(0, MAX_CHOICES).map(({ folder }) => folder),
    typing.language,
  );
}

/** The id of the caller's only folder of that name; null if there is none or more than one. */
async function idByName(db: Queryable, profile_id: string, value: string, language: Language): Promise<string | null> {
  const wanted = comparable(value);
  const named = (await folderNamesOf(db, { profile_id })).filter(
    (folder) => comparable(folderLabel(folder, language)) === wanted,
  );
  return named.length === 1 ? (named[0]?.id ?? null) : null;
}

/**
 * The folder that an option or a custom_id names by its id, or by a name that only one folder has.
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.taken_down
 */
export async function ownFolderOf({ db }: BotDeps, caller: KnownCaller, value: string): Promise<FolderRow> {
  const { profile } = caller;
  if (!profile) throw new AppError('folder.not_found');
  const viewer = { profile_id: profile.id };
  const id = Id.safeParse(value).success ? value : await idByName(db, profile.id, value, caller.language);
  if (id === null) throw new AppError('folder.not_found');
  return ownFolder(db, id, viewer);
}
