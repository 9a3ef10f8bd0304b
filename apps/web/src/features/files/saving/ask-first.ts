import type { ZipFile } from '@satchel/client/open/zip-stream';
import { canOpen, type FileItem } from '../../../engine/files/file-model.ts';
import type { FileOpener } from '../../../engine/files/file-opener.ts';
import { isProgram } from '../../../engine/files/saving/programs.ts';
import { saveFile, zipFiles } from '../../../engine/files/saving/save-file.ts';
import { importWithTexts } from '../../../lib/texts/import-with-texts.ts';

/** Saves files, and asks before it saves a program: once for each file of a visit. */

type Named = Pick<FileItem, 'id' | 'name'>;

/** The programs that the person was asked about. A renamed file counts as another program. */
const asked = new Set<string>();
const keyOf = ({ id, name }: Named) => `${id} ${name}`;

async function maySave(files: readonly Named[]): Promise<boolean> {
  const programs = files.filter((file) => isProgram(file.name) && !asked.has(keyOf(file)));
  if (programs.length === 0) return true;
  const { askToSave } = await importWithTexts('later', () => import('./program-question.tsx'));
  for (const program of programs) asked.add(keyOf(program));
  return askToSave(programs.map(({ name }) => name));
}

/** @returns whether there was anything to save, and the person wanted it @throws what saveFile throws */
export const saveAsked = async (
  item: FileItem,
  opener: Pick<FileOpener, 'send'>,
  signal: AbortSignal,
): Promise<boolean> => (await maySave([item])) && saveFile(item, opener, signal);

/** The files of a zip, as zipFiles gives them; none where the person does not want its programs. */
export const zipAsked = async (items: readonly FileItem[], directory: string): Promise<ZipFile[]> =>
  (await maySave(items.filter(canOpen))) ? zipFiles(items, directory) : [];
