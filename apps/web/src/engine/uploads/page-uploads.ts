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

const keepPage = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The uploads of this tab, with real workers. */
export const uploads = createUploads({
  startUpload(request, token) {
    // It is there before the file is: else the folder's page would open the file that it has no still of yet.
    if (stillKind(request.file) || isItsOwnStill(request.file)) void stillsCode().then((code) => code?.prepare());
    return startUpload(request, token);
  },
  strips: stripsMetadata.get,
  workersMax: () => Math.max(1, navigator.hardwareConcurrency || 1),
  maxFiles: settings.max_folder_files,
  say: announce,
  onSent(sent) {
    const { file, strips, storedName, seal } = sent;
    ownNames.add(storedName);
    const isSmall = isItsOwnStill(file);
    if (seal)
      localFiles.keep({ entry: { name: storedName }, proof: { header: seal.header } }, { file, strips, isSmall });
    // A small picture of an encrypted folder is opened from the device.
    if (stillKind(file) || (isSmall && !seal)) void stillsCode().then((code) => code?.stillSender.add(sent));
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
