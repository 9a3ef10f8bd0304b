import { Trans } from '@lingui/react/macro';
import type { Choice } from '@satchel/client/send/order';
import { Share } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { importPatiently } from '../../lib/base/patient-import.ts';
import { Banner } from '../../ui/states/banner.tsx';

/** The state of a share from another app: on its way, taken, or why it was not. */
type SharedState = 'taking' | 'taken' | 'none' | 'unread' | 'unable' | 'gone';

const worker = () => importPatiently(() => import('../../engine/media/service-worker-link.ts'));
const reader = () => importPatiently(() => import('../../engine/uploads/queue/chosen-files.ts'));

/** Other apps can share files with an installed site only. */
const isInstalled = () => !matchMedia('(display-mode: browser)').matches;

/** The service worker is there for the next share. */
async function prepare(): Promise<boolean> {
  const { mediaWorker } = await worker();
  return (await mediaWorker()) !== null;
}

async function take(word: string, onFiles: (choice: Choice) => void): Promise<SharedState> {
  if (word === 'none') return 'none';
  if (word === 'unread') return (await prepare()) ? 'unread' : 'unable';
  const { takeShare } = await worker();
  const files = await takeShare(word);
  if (!files) return 'gone';
  onFiles(await (await reader()).pickedFiles(files));
  return 'taken';
}

interface SharedFilesProps {
  /** The word in the page's address: an id, or why there are no files. */
  shared: unknown;
  onFiles: (choice: Choice) => void;
}

/** Takes the files that another app has shared from the service worker, where they wait, and says why there are none. */
export function SharedFiles({ shared, onFiles }: SharedFilesProps) {
  const word = typeof shared === 'string' ? shared : null;
  const [state, setState] = useState<SharedState>('taking');
  const add = useEffectEvent(onFiles);
  /** The worker hands a share out once. */
  const begun = useRef<string | null>(null);
  useEffect(() => {
    if (word === null) {
      if (isInstalled()) void prepare().catch(() => undefined);
      return;
    }
    if (begun.current === word) return;
    begun.current = word;
    void take(word, (choice) => add(choice)).then(setState, () => setState('gone'));
  }, [word]);
  if (word === null || state === 'taken') return null;
  return (
    <div role="status">
      <Banner tone={state === 'taking' ? 'neutral' : 'warning'} icon={<Share size={18} aria-hidden />}>
        {state === 'taking' && <Trans>Taking the files that you shared…</Trans>}
        {state === 'none' && <Trans>There were no files in what you shared. Choose files here.</Trans>}
        {state === 'unread' && (
          <Trans>
            What you shared was not read, because this device was not ready to encrypt files. The device is ready now:
            share the files once more, or choose them here.
          </Trans>
        )}
        {state === 'unable' && (
          <Trans>
            What you shared was not read: this browser can’t encrypt what other apps share. Choose files here.
          </Trans>
        )}
        {state === 'gone' && (
          <Trans>The files that you shared are no longer here. Share them once more, or choose them here.</Trans>
        )}
      </Banner>
    </div>
  );
}
