import { Trans } from '@lingui/react/macro';
import type { TierLimits } from '@satchel/contract/entities';
import { FolderUp } from 'lucide-react';
import { useId } from 'react';
import { limitText } from '../../../lib/figures/format.ts';
import { StitchFrame } from '../../../ui/base/stitch.tsx';
import { Spot } from '../../../ui/states/spot.tsx';
import { StorageLeft } from './storage-left.tsx';

interface DropZoneProps {
  limits: TierLimits;
  leftBytes: number | null;
  onPickFiles: () => void;
  onPickFolder: () => void;
}

/** The empty upload zone. Its button covers the whole zone; its accessible name is the first line only. */
export function DropZone({ limits, leftBytes, onPickFiles, onPickFolder }: DropZoneProps) {
  const limit = limitText(limits.max_file_bytes);
  const id = useId();
  return (
    <div className="group relative grid justify-items-center rounded-card px-6 pt-10 pb-5 text-center transition-colors hover:bg-surface max-sm:pb-4">
      <StitchFrame />
      <button
        type="button"
        data-rest
        aria-describedby={`${id}-file ${id}-account`}
        onClick={onPickFiles}
        className="grid justify-items-center after:absolute after:inset-0 after:rounded-card focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-2"
      >
        <span className="transition-transform duration-200 ease-out motion-safe:group-hover:-translate-y-1">
          <Spot pose="empty" sizePx={108} />
        </span>
        <span className="mt-4 text-base font-semibold">
          <Trans>Drop files here or click to upload</Trans>
        </span>
      </button>
      <p id={`${id}-file`} className="mt-1 text-sm text-muted">
        <Trans>Support for multiple files up to {limit} each</Trans>
      </p>
      <p id={`${id}-account`} className="mt-0.5 text-xs text-subtle tabular">
        <StorageLeft leftBytes={leftBytes} totalBytes={limits.storage_bytes} />
      </p>
      <p className="mt-5 flex flex-wrap items-center justify-center gap-x-2 text-xs text-subtle">
        <button
          type="button"
          onClick={onPickFolder}
          className="relative z-10 inline-flex items-center gap-1.5 rounded-chip px-1.5 py-1 text-muted underline decoration-line underline-offset-4 hover:text-ink"
        >
          <FolderUp size={14} aria-hidden />
          <Trans>Choose a folder</Trans>
        </button>
        <span aria-hidden="true" className="max-sm:hidden">
          <Trans>or paste with Ctrl V</Trans>
        </span>
      </p>
    </div>
  );
}
