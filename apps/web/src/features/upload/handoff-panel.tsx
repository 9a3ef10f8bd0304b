import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { TierLimits } from '@satchel/contract/entities';
import { Lock, Plus } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { bytes } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from './chosen-files.ts';
import { DropOverlay } from './drop-overlay.tsx';
import { DropZone } from './drop-zone.tsx';
import { useFilePickers } from './file-pickers.tsx';
import { NotTaken } from './not-taken.tsx';
import { StorageWarning, useStorageLeft } from './storage-left.tsx';
import { UploadRows } from './upload-rows.tsx';
import { useFileDrops } from './use-file-drops.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import type { WaitingFiles } from './use-waiting-files.ts';

const nothing = () => {};

interface ListProps {
  waiting: WaitingFiles;
  sealed: boolean;
  leftBytes: number | null;
  onPickFiles: () => void;
}

/** What is chosen so far. */
function List({ waiting, sealed, leftBytes, onPickFiles }: ListProps) {
  const { items, remove } = waiting;
  const actions = useMemo(
    () => ({ pause: nothing, resume: nothing, cancel: nothing, retry: nothing, remove }),
    [remove],
  );
  const total = bytes(waiting.totalBytes);
  return (
    <div className="card min-w-0 overflow-hidden">
      <div className="px-4 py-4 sm:px-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5">
          <h2 className="display text-lg">
            <Plural value={items.length} one="# file selected" other="# files selected" />
          </h2>
          <span className="text-xs text-muted tabular">{total}</span>
          <Button size="sm" data-rest className="ml-auto" onClick={onPickFiles}>
            <Plus size={15} aria-hidden />
            <Trans>Add More Files</Trans>
          </Button>
          <Button tone="ghost" size="sm" onClick={waiting.clear}>
            <Trans>Clear All</Trans>
          </Button>
        </div>
        <StorageWarning leftBytes={leftBytes} neededBytes={waiting.pendingBytes} />
      </div>
      <UploadRows items={items} actions={actions} />
      <p className="flex items-center gap-1.5 px-4 py-3.5 text-xs text-muted sm:px-5">
        {sealed && <Lock size={14} aria-hidden className="shrink-0 text-success" />}
        {sealed ? (
          <Trans>They are encrypted in this browser and uploaded once the folder is there.</Trans>
        ) : (
          <Trans>They are uploaded once the folder is there.</Trans>
        )}
      </p>
    </div>
  );
}

interface WaitingPanelProps {
  waiting: WaitingFiles;
  userId: string;
  limits: TierLimits;
  /** Whether the folder will be encrypted. */
  sealed: boolean;
  /** As far as it has one. */
  folderName: string;
  /** The folder is made, and its page is on its way: what came now would come too late. */
  closed: boolean;
}

/** The upload zone of a folder that is yet to be made (DESIGN R9). */
export function WaitingPanel({ waiting, userId, limits, sealed, folderName, closed }: WaitingPanelProps) {
  const { t } = useLingui();
  const section = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(section);
  const leftBytes = useStorageLeft(userId, false);
  const add = (choice: Choice) => closed || waiting.add(choice, sealed);
  const isOver = useFileDrops(add);
  const { inputs, pickFiles, pickFolder } = useFilePickers({ onFiles: add });
  return (
    <section
      ref={section}
      aria-label={t`Upload`}
      inert={closed}
      className="grid min-w-0 grid-cols-1 gap-4"
      {...keptFocus}
    >
      {!closed && inputs}
      <NotTaken rejected={waiting.rejected} skipped={waiting.skipped} onDismiss={waiting.dismissNotes} />
      {waiting.items.length === 0 ? (
        <DropZone limits={limits} leftBytes={leftBytes} onPickFiles={pickFiles} onPickFolder={pickFolder} />
      ) : (
        <List waiting={waiting} sealed={sealed} leftBytes={leftBytes} onPickFiles={pickFiles} />
      )}
      {isOver && <DropOverlay folderName={folderName} sealed={sealed} />}
    </section>
  );
}
