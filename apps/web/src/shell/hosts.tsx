import { Suspense, useEffect, useState } from 'react';
import { keysInQuestion } from '../account/sign-out/sign-out.ts';
import { uploadActivity } from '../engine/uploads/upload-activity.ts';
import { politeAnnouncement, urgentAnnouncement } from '../lib/base/announce.ts';
import { useStore } from '../lib/base/page-hooks.ts';
import { queuedToasts } from '../lib/base/toast.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';

/** Shown on every page at any module's request: announcements, toasts, uploads, and the question about keys. */

/** Two live regions, mounted once and before any message: a region that comes with its text is not read out. */
export function Announcer() {
  const polite = useStore(politeAnnouncement);
  const urgent = useStore(urgentAnnouncement);
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        <span key={polite?.key}>{polite?.text}</span>
      </div>
      <div role="alert" aria-live="assertive" className="sr-only">
        <span key={urgent?.key}>{urgent?.text}</span>
      </div>
    </>
  );
}

/** True from the first time that something is asked for; its code then stays in the page. */
function useWanted(asked: boolean): boolean {
  const [wanted, setWanted] = useState(asked);
  useEffect(() => {
    if (asked) setWanted(true);
  }, [asked]);
  return wanted;
}

const Toasts = lazyPart(() => import('../ui/toasts.tsx'), 'Toasts');

/** Loads the toasts at the first one; nothing on a first screen needs them. */
export function ToastHost() {
  const queued = useStore(queuedToasts);
  return useWanted(queued.length > 0) ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}

const ForgetKeysDialog = lazyPart(
  () => import('../account/sign-out/forget-keys-dialog.tsx'),
  'ForgetKeysDialog',
  'common',
);

/** Loads the dialog when it is first asked for. */
export function ForgetKeysHost() {
  const { onDisk, inMemory } = useStore(keysInQuestion);
  return useWanted(onDisk + inMemory > 0) ? (
    <Suspense>
      <ForgetKeysDialog />
    </Suspense>
  ) : null;
}

const UploadDock = lazyPart(() => import('../features/upload/dock/upload-dock.tsx'), 'UploadDock', 'upload');

/** Loads the dock with the first upload. */
export function UploadDockHost() {
  return useWanted(useStore(uploadActivity).length > 0) ? (
    <Suspense>
      <UploadDock />
    </Suspense>
  ) : null;
}
