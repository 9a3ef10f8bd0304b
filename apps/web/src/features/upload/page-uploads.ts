import { localFiles } from '../../engine/files/local-files.ts';
import { deletedFolder, noteOwnFile } from '../../engine/folders/own-changes.ts';
import { deleteReplaced } from '../../engine/uploads/replace-file.ts';
import { isItsOwnStill, stillKind } from '../../engine/uploads/stills/still-kind.ts';
import { stripsMetadata } from '../../engine/uploads/strip-choice.ts';
import { startUpload } from '../../engine/uploads/upload-client.ts';
import { createUploads } from '../../engine/uploads/uploads.ts';
import { settings } from '../../lib/base/settings.ts';
import { sayUploadNews } from './say-upload-news.ts';

/** The code for stills. Where it fails to load there are none, which is no error. */
const stillsCode = () => import('../../engine/uploads/stills/page-stills.ts').catch(() => null);

/** Whether the page shows a still of a file that it sends. A small picture of an encrypted folder is opened from the device instead. */
const isShelved = (file: File, isSealed: boolean): boolean =>
  stillKind(file) !== null || (!isSealed && isItsOwnStill(file));

const keepPage = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The uploads of this tab, with real workers. */
export const uploads = createUploads({
  startUpload(request, token) {
    // It is there before the file is: else the folder's page would open the file that it has no still of yet.
    if (isShelved(request.file, request.keys !== null)) void stillsCode().then((code) => code?.prepare());
    return startUpload(request, token);
  },
  strips: stripsMetadata.get,
  workersMax: () => Math.max(1, navigator.hardwareConcurrency || 1),
  maxFiles: () => settings.max_folder_files,
  onNews: sayUploadNews,
  onSent(sent) {
    const { file, strips, storedName, seal } = sent;
    noteOwnFile(storedName);
    if (seal) {
      const local = { file, strips, isSmall: isItsOwnStill(file) };
      localFiles.keep({ entry: { name: storedName }, proof: { header: seal.header } }, local);
    }
    if (isShelved(file, seal !== null)) void stillsCode().then((code) => code?.stillSender.add(sent));
  },
  deleteReplaced(replaced) {
    noteOwnFile(replaced.storedName);
    return deleteReplaced(replaced);
  },
  hasSameContent: async (existing, chosen, signal) => {
    const [{ hasSameContent }, { asSent }] = await Promise.all([
      import('../../engine/uploads/queue/same-content.ts'),
      import('@satchel/client/send/metadata/strip-metadata'),
    ]);
    // A photo that came without its metadata is the same one as that on the disk. What can't be read is another one.
    const sent = await asSent(chosen, stripsMetadata.get()).catch(() => ({ file: chosen }));
    return hasSameContent(existing, sent.file, signal);
  },
  // The browser asks before the site is left, and only then.
  onBusy: (isBusy) => (isBusy ? addEventListener : removeEventListener)('beforeunload', keepPage),
});

deletedFolder.subscribe(() => uploads.folderDeleted(deletedFolder.get() ?? ''));
addEventListener('pagehide', uploads.keepNames);
addEventListener('offline', uploads.lineLost);
