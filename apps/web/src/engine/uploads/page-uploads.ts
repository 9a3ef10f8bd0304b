import { announce } from '../../lib/base/announce.ts';
import { settings } from '../../lib/base/settings.ts';
import { localFiles } from '../files/local-files.ts';
import { stripsMetadata } from './metadata/strip-choice.ts';
import { ownNames } from './own-names.ts';
import { isItsOwnStill, stillKind } from './stills/still-kind.ts';
import { startUpload } from './upload-client.ts';
import { createUploads } from './uploads.ts';

/** The code for stills. Where it fails to load there are none, which is no error. */
const stillsCode = () => import('./stills/page-stills.ts').catch(() => null);

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
  maxFiles: settings.max_folder_files,
  say: announce,
  onSent(sent) {
    const { file, strips, storedName, seal } = sent;
    ownNames.add(storedName);
    if (seal) {
      const local = { file, strips, isSmall: isItsOwnStill(file) };
      localFiles.keep({ entry: { name: storedName }, proof: { header: seal.header } }, local);
    }
    if (isShelved(file, seal !== null)) void stillsCode().then((code) => code?.stillSender.add(sent));
  },
  deleteReplaced: async (replaced) => {
    ownNames.add(replaced.storedName);
    await (await import('./replace-file.ts')).deleteReplaced(replaced);
  },
  hasSameContent: async (existing, chosen, signal) => {
    const [{ hasSameContent }, { asSent }] = await Promise.all([
      import('./queue/same-content.ts'),
      import('./metadata/strip-metadata.ts'),
    ]);
    // A photo that came without its metadata is the same one as that on the disk. What can't be read is another one.
    const sent = await asSent(chosen, stripsMetadata.get()).catch(() => ({ file: chosen }));
    return hasSameContent(existing, sent.file, signal);
  },
  // The browser asks before the site is left, and only then.
  onBusy: (isBusy) => (isBusy ? addEventListener : removeEventListener)('beforeunload', keepPage),
});

addEventListener('pagehide', uploads.keepNames);
addEventListener('offline', uploads.lineLost);
