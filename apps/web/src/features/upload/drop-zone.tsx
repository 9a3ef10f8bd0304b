import { Trans } from '@lingui/react/macro';
import { FolderUp } from 'lucide-react';
import { useId } from 'react';
import { limitText } from '../../lib/format.ts';
import { settings } from '../../lib/settings.ts';
import { Spot } from '../../ui/spot.tsx';
import { StitchFrame } from '../../ui/stitch.tsx';
import { StorageLeft } from './storage-left.tsx';

interface DropZoneProps {
  leftBytes: number | null;
  onPickFiles: () => void;
  onPickFolder: () => void;
}

/** The empty upload zone (§2). */
export function DropZone({ leftBytes, onPickFiles, onPickFolder }: DropZoneProps) {
  const limit = limitText(settings.max_file_bytes);
  const id = useId();
  return (
    <div className="relative rounded-card">
      <button
        type="button"
        data-rest
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-file ${id}-account`}
        onClick={onPickFiles}
        className="group grid w-full justify-items-center rounded-card px-6 pt-10 pb-16 text-center transition-colors hover:bg-surface focus-visible:rounded-card"
      >
        <StitchFrame />
        <span className="transition-transform duration-200 ease-out motion-safe:group-hover:-translate-y-1">
          <Spot pose="empty" sizePx={108} />
        </span>
        <span id={`${id}-name`} className="mt-4 text-base font-semibold">
          <Trans>Drop files here or click to upload</Trans>
        </span>
        <span id={`${id}-file`} className="mt-1 text-sm text-muted">
          <Trans>Support for multiple files up to {limit} each</Trans>
        </span>
        <span id={`${id}-account`} className="mt-0.5 text-xs text-subtle tabular">
          <StorageLeft leftBytes={leftBytes} />
        </span>
      </button>
      <div className="absolute inset-x-0 bottom-5 flex items-center justify-center gap-2 text-xs text-subtle max-sm:bottom-4">
        <button
          type="button"
          onClick={onPickFolder}
          className="inline-flex items-center gap-1.5 rounded-chip px-1.5 py-1 text-muted underline decoration-line underline-offset-4 hover:text-ink"
        >
          <FolderUp size={14} aria-hidden />
          <Trans>Choose a folder</Trans>
        </button>
        <span aria-hidden="true" className="max-sm:hidden">
          <Trans>or paste with Ctrl V</Trans>
        </span>
      </div>
    </div>
  );
}
