import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { Choice } from '@satchel/client/send/order';
import type { TierLimits } from '@satchel/contract/entities';
import { Lock, Plus } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { bytes } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { DropOverlay } from './choose/drop-overlay.tsx';
import { DropZone } from './choose/drop-zone.tsx';
import { useFilePickers } from './choose/file-pickers.tsx';
import { MetadataSwitch } from './choose/metadata-switch.tsx';
import { StorageWarning, useStorageLeft } from './choose/storage-left.tsx';
import { useFileDrops } from './choose/use-file-drops.ts';
import { NotTaken } from './rows/not-taken.tsx';
import { UploadRows } from './rows/upload-rows.tsx';
import { useKeptFocus } from './rows/use-kept-focus.ts';
import { SharedFiles } from './shared-files.tsx';
import type { HandoffFiles } from './use-handoff-files.ts';

const nothing = () => {};

interface ListProps {
  handoff: HandoffFiles;
  sealed: boolean;
  leftBytes: number | null;
  onPickFiles: () => void;
}

/** The files chosen so far. */
function List({ handoff, sealed, leftBytes, onPickFiles }: ListProps) {
  const { items, remove } = handoff;
  const actions = useMemo(
    () => ({ pause: nothing, resume: nothing, cancel: nothing, retry: nothing, rechoose: nothing, remove }),
    [remove],
  );
  const total = bytes(handoff.totalBytes);
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
          <Button tone="ghost" size="sm" onClick={handoff.clear}>
            <Trans>Clear All</Trans>
          </Button>
        </div>
        <StorageWarning leftBytes={leftBytes} neededBytes={handoff.pendingBytes} />
      </div>
      <UploadRows items={items} actions={actions} />
      <MetadataSwitch items={items} />
      <p className="flex items-center gap-1.5 px-4 py-3.5 text-xs text-muted sm:px-5">
        {sealed && <Lock size={14} aria-hidden className="shrink-0 text-success" />}
        {sealed ? (
          <Trans>Files are encrypted in this browser, and uploaded once the folder is created.</Trans>
        ) : (
          <Trans>Files are uploaded once the folder is created.</Trans>
        )}
      </p>
    </div>
  );
}

interface HandoffPanelProps {
  handoff: HandoffFiles;
  onFiles: (choice: Choice) => void;
  userId: string;
  limits: TierLimits;
  /** Whether the folder will be encrypted. */
  sealed: boolean;
  /** Empty until it has one. */
  folderName: string;
  /** The folder is created and its page is loading. */
  closed: boolean;
  /** What the address says of files that another app has shared. */
  shared: unknown;
}

/** The upload zone before the folder exists. */
export function HandoffPanel(props: HandoffPanelProps) {
  const { handoff, onFiles, userId, limits, sealed, folderName, closed, shared } = props;
  const { t } = useLingui();
  const section = useRef<HTMLElement>(null);
  const keptFocus = useKeptFocus(section);
  const leftBytes = useStorageLeft(userId, false);
  const isOver = useFileDrops(onFiles);
  const { inputs, pickFiles, pickFolder } = useFilePickers({ onFiles });
  return (
    <section
      ref={section}
      aria-label={t`Upload`}
      inert={closed}
      className="grid min-w-0 grid-cols-1 gap-4"
      {...keptFocus}
    >
      {!closed && inputs}
      <SharedFiles shared={shared} onFiles={onFiles} />
      <NotTaken rejected={handoff.rejected} skipped={handoff.skipped} onDismiss={handoff.dismissNotes} />
      {handoff.items.length === 0 ? (
        <DropZone limits={limits} leftBytes={leftBytes} onPickFiles={pickFiles} onPickFolder={pickFolder} />
      ) : (
        <List handoff={handoff} sealed={sealed} leftBytes={leftBytes} onPickFiles={pickFiles} />
      )}
      {isOver && <DropOverlay folderName={folderName} sealed={sealed} />}
    </section>
  );
}
