import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { mayRetry, type UploadItem, waitsUntilMs } from '@satchel/client/send/list/queue';
import type { TierLimits } from '@satchel/contract/entities';
import { Lock, Plus, Upload } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useOwnLimits } from '../../account/own-data/own-account.ts';
import type { FolderUploadsState, UploadActions } from '../../engine/uploads/folder-uploads.ts';
import { cx } from '../../lib/base/class-names.ts';
import { useDeviceNow } from '../../lib/browser/hooks.ts';
import { bytes } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { Badge } from '../../ui/states/badge.tsx';
import { StitchBar } from '../../ui/states/stitch-bar.tsx';
import { DropZone } from './choose/drop-zone.tsx';
import { useFilePickers } from './choose/file-pickers.tsx';
import { KeptMetadata, MetadataSwitch } from './choose/metadata-switch.tsx';
import { StorageLeft, StorageWarning, useStorageLeft } from './choose/storage-left.tsx';
import { uploads } from './page-uploads.ts';
import { ClearAll } from './rows/clear-all.tsx';
import { CollisionQuestion } from './rows/collision-question.tsx';
import { NotTaken } from './rows/not-taken.tsx';
import { UnfinishedList } from './rows/unfinished-list.tsx';
import { UploadRows } from './rows/upload-rows.tsx';
import { useKeptFocus } from './rows/use-kept-focus.ts';
import { isDone, RetryAll, UploadDone } from './upload-done.tsx';
import { countChips, serverWaitText, speedText } from './upload-texts.ts';
import { type UploadQueue, useFolderUploads, useUploadQueue } from './use-folder-uploads.ts';

/** How fast the list goes; or what it waits for, and a way not to. */
function Pace({ queue }: { queue: UploadQueue }) {
  const untilMs = waitsUntilMs(queue);
  return untilMs === null ? (
    <span>{speedText(queue, queue.items)}</span>
  ) : (
    <ServerWait untilMs={untilMs} onTryNow={queue.hurry} />
  );
}

/** What the list waits for, while the server is away. */
export function ServerWait({ untilMs, onTryNow }: { untilMs: number; onTryNow: () => void }) {
  const secondsLeft = Math.max(0, Math.ceil((untilMs - useDeviceNow()) / 1000));
  return (
    <span className="text-warning">
      {serverWaitText(secondsLeft)} ·{' '}
      <button type="button" onClick={onTryNow} className="underline underline-offset-2 hover:text-ink">
        <Trans>Try now</Trans>
      </button>
    </span>
  );
}

/** How many files have which status. An element stays while its number changes: it changes four times a second. */
export function Counts({ counts, busy }: Pick<UploadQueue, 'counts' | 'busy'>) {
  const { t } = useLingui();
  return (
    <ul
      aria-label={t`By status`}
      // On a phone one status more takes a second line: the list below would jump each time.
      className={cx('flex flex-wrap content-start gap-1.5', busy && 'max-sm:min-h-[3.375rem]')}
    >
      {countChips(counts).map(({ status, text, tone }) => (
        <li key={status}>
          <Badge tone={tone}>{text}</Badge>
        </li>
      ))}
    </ul>
  );
}

interface QueueHeadProps {
  queue: UploadQueue;
  leftBytes: number | null;
  onPickFiles: () => void;
}

function QueueHead({ queue, leftBytes, onPickFiles }: QueueHeadProps) {
  const { t } = useLingui();
  const percent = Math.floor(queue.overallPercent);
  const total = bytes(queue.totalBytes);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5 px-4 pt-4 sm:px-5 sm:pt-5">
        <h2 className="display text-lg">
          <Plural value={queue.items.length} one="# file selected" other="# files selected" />
        </h2>
        <Counts counts={queue.counts} busy={queue.busy} />
        <Button size="sm" className="ml-auto" data-rest={queue.toUpload === 0 || undefined} onClick={onPickFiles}>
          <Plus size={15} aria-hidden />
          <Trans>Add More Files</Trans>
        </Button>
      </div>
      <div className="px-4 py-4 sm:px-5">
        <StitchBar thick value={queue.overallPercent} label={t`Overall upload progress`} />
        <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-muted tabular">
          <span>
            <Trans>
              <b className="font-semibold text-ink">{percent}%</b> of {total}
            </Trans>
          </span>
          {queue.busy && <Pace queue={queue} />}
        </p>
        {!queue.busy && <StorageWarning leftBytes={leftBytes} neededBytes={queue.pendingBytes} />}
      </div>
    </>
  );
}

/** Whether files are sent plain, sealed, or sealed under a key that the server has. */
export type Sealing = 'plain' | 'sealed' | 'shared';

interface QueueFootProps {
  queue: UploadQueue;
  sealing: Sealing;
  limits: TierLimits;
  leftBytes: number | null;
}

function QueueFoot({ queue, sealing, limits, leftBytes }: QueueFootProps) {
  const limit = bytes(limits.max_file_bytes);
  const retriable = queue.items.filter(mayRetry).length;
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-3 px-4 py-4 sm:px-5">
      {/* aria-disabled, and not removed while files are sent: the person who just pressed it keeps the focus. */}
      {queue.toUpload > 0 && (
        <Button
          // With nothing to start it is no primary act.
          tone={queue.mayStart ? 'primary' : 'quiet'}
          size="lg"
          className="max-sm:px-4"
          data-rest
          aria-disabled={!queue.mayStart}
          onClick={() => queue.mayStart && queue.start()}
        >
          <Upload size={17} aria-hidden />
          <Plural value={queue.toUpload} one="Upload # file" other="Upload # files" />
        </Button>
      )}
      {retriable > 0 && <RetryAll count={retriable} onRetry={queue.retryAll} isPrimary={false} />}
      <ClearAll size="lg" items={queue.items} disabled={queue.busy} onClear={queue.clear} />
      <div className="ml-auto grid gap-0.5 text-right text-xs text-muted max-sm:ml-0 max-sm:w-full max-sm:text-left">
        {sealing !== 'plain' && (
          <p className="flex items-center justify-end gap-1.5 max-sm:justify-start">
            <Lock size={14} aria-hidden className="text-success" />
            {sealing === 'sealed' ? (
              <Trans>Encrypted in this browser before upload</Trans>
            ) : (
              <Trans>Encrypted in this browser, with a key that our server has, too</Trans>
            )}
          </p>
        )}
        <p className="text-subtle tabular">
          <Trans>Up to {limit} a file</Trans> · <StorageLeft leftBytes={leftBytes} totalBytes={limits.storage_bytes} />
        </p>
      </div>
    </div>
  );
}

/** A file of a directory, which a plain folder takes under a flat name. */
const isFlattened = ({ sealed, path }: UploadItem): boolean => !sealed && path.includes('/');

interface OpenPanelProps {
  folderId: string;
  state: FolderUploadsState;
  actions: UploadActions;
  sealing: Sealing;
  userId: string;
  moment: ReactNode;
}

function OpenPanel({ folderId, state, actions, sealing, userId, moment }: OpenPanelProps) {
  const { t } = useLingui();
  const queue = useUploadQueue(state, actions);
  useEffect(() => uploads.show(folderId), [folderId]);
  const section = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(section);
  const { limits } = useOwnLimits(userId);
  const leftBytes = useStorageLeft(userId, queue.busy);
  const { inputs, pickFiles, pickFolder } = useFilePickers({ onFiles: queue.add });
  const { items } = queue;
  return (
    <section ref={section} aria-label={t`Upload`} className="grid min-w-0 grid-cols-1 gap-4" {...keptFocus}>
      {inputs}
      <NotTaken rejected={queue.rejected} skipped={queue.skipped} onDismiss={queue.dismissNotes} />
      <CollisionQuestion collisions={queue.collisions} onAnswer={queue.answer} />
      <KeptMetadata items={items} />
      <UnfinishedList unfinished={queue.unfinished} onPickFiles={pickFiles} />
      {items.length === 0 ? (
        <DropZone limits={limits} leftBytes={leftBytes} onPickFiles={pickFiles} onPickFolder={pickFolder} />
      ) : isDone(queue) ? (
        <UploadDone queue={queue} actions={actions} onPickFiles={pickFiles} moment={moment} />
      ) : (
        <div className="card min-w-0 overflow-hidden">
          <QueueHead queue={queue} leftBytes={leftBytes} onPickFiles={pickFiles} />
          {items.some(isFlattened) && (
            <p className="px-4 pb-4 text-sm text-muted sm:px-5">
              <Trans>
                Only encrypted folders keep directories. In this folder, the name of each file says which directory it
                was in.
              </Trans>
            </p>
          )}
          <UploadRows items={items} actions={actions} />
          <MetadataSwitch items={items} />
          <QueueFoot queue={queue} sealing={sealing} limits={limits} leftBytes={leftBytes} />
        </div>
      )}
    </section>
  );
}

interface UploadPanelProps {
  folderId: string;
  sealing: Sealing;
  userId: string;
  /** Shown once the files are in: how the folder is handed on. */
  moment: ReactNode;
  /** Shown until the first file is chosen. */
  placeholder: ReactNode;
}

/** The owner's upload zone. */
export function UploadPanel({ placeholder, ...props }: UploadPanelProps) {
  const uploading = useFolderUploads(props.folderId);
  return uploading ? <OpenPanel {...uploading} {...props} /> : placeholder;
}
