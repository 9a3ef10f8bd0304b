import { announce } from '../../lib/base/announce.ts';
import { settings } from '../../lib/base/settings.ts';
import { stillKind } from './stills/still-kind.ts';
import { startUpload } from './upload-client.ts';
import { createUploads } from './uploads.ts';

const keepPage = (event: BeforeUnloadEvent): void => event.preventDefault();

/** The uploads of this tab, with real workers. */
export const uploads = createUploads({
  startUpload,
  workersMax: () => Math.max(1, navigator.hardwareConcurrency || 1),
  maxFiles: settings.max_folder_files,
  say: announce,
  onSent: (sent) => {
    // A file without a still needs none of this code; a still that is lost with it is no error.
    if (stillKind(sent.file))
      void import('./stills/page-stills.ts').then(
        ({ stillSender }) => stillSender.add(sent),
        () => {},
      );
  },
  // The browser asks before the site is left, and only then.
  onBusy: (isBusy) => (isBusy ? addEventListener : removeEventListener)('beforeunload', keepPage),
});

addEventListener('pagehide', uploads.keepNames);
