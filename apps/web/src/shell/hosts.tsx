import { type ComponentType, type ReactNode, Suspense, useEffect, useState } from 'react';
import { keysInQuestion } from '../account/sign-out/sign-out.ts';
import { uploadActivity } from '../engine/uploads/upload-activity.ts';
import { politeAnnouncement, urgentAnnouncement } from '../lib/base/announce.ts';
import { whatIsKept } from '../lib/base/device.ts';
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

interface HostProps {
  asked: boolean;
  Part: ComponentType;
  /** Shown until the part's code is there. */
  before?: ReactNode;
}

/** Loads a part when it is first asked for; its code then stays in the page. */
function Host({ asked, Part, before }: HostProps) {
  const [wanted, setWanted] = useState(asked);
  useEffect(() => {
    if (asked) setWanted(true);
  }, [asked]);
  return wanted ? (
    <Suspense fallback={before}>
      <Part />
    </Suspense>
  ) : null;
}

const Toasts = lazyPart(() => import('../ui/toasts.tsx'), 'Toasts');

/**
 * What toasts say, where their own code does not come within a second: a newer version of the site has replaced it, and the
 * page can say only so that it has to be loaded again.
 */
function PlainToasts() {
  // Each part that does not come says the same.
  const sentences = new Set(useStore(queuedToasts).map(({ text }) => text()));
  return (
    <div
      role="alert"
      className="fixed inset-x-4 bottom-4 z-50 mx-auto max-w-md rounded-card bg-surface p-4 text-center text-sm shadow-pop [animation:fade_0.2s_1s_backwards]"
    >
      {[...sentences].map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

const StorageNotice = lazyPart(() => import('../ui/states/storage-notice.tsx'), 'StorageNotice', 'foot');

/** Only where the browser keeps less than it should. */
export function StorageNoticeHost() {
  const [keeping] = useState(whatIsKept);
  return keeping === 'all' ? null : (
    <Suspense>
      <StorageNotice keeping={keeping} />
    </Suspense>
  );
}

/** With the first toast; nothing on a first screen needs them. */
export const ToastHost = () => (
  <Host asked={useStore(queuedToasts).length > 0} Part={Toasts} before={<PlainToasts />} />
);

const ForgetKeysDialog = lazyPart(
  () => import('../account/sign-out/forget-keys-dialog.tsx'),
  'ForgetKeysDialog',
  'common',
);

export function ForgetKeysHost() {
  const { onDisk, inMemory } = useStore(keysInQuestion);
  return <Host asked={onDisk + inMemory > 0} Part={ForgetKeysDialog} />;
}

const UploadDock = lazyPart(() => import('../features/upload/dock/upload-dock.tsx'), 'UploadDock', 'upload');

/** With the first upload. */
export const UploadDockHost = () => <Host asked={useStore(uploadActivity).length > 0} Part={UploadDock} />;
