import { FolderUp, Lock, Plus, Upload } from 'lucide-react';
import { useMemo } from 'react';
import { bytes, limitText, plural } from '../../lib/format.ts';
import { settings } from '../../lib/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Spot } from '../../ui/spot.tsx';
import { StitchBar, StitchFrame } from '../../ui/stitch.tsx';
import { useFilePickers } from './file-pickers.tsx';
import { RejectedFiles } from './rejected-files.tsx';
import { UploadRow } from './upload-row.tsx';
import { countChips, speedText } from './upload-texts.ts';
import type { UploadQueue } from './use-upload-queue.ts';

interface PickProps {
  onPickFiles: () => void;
  onPickFolder: () => void;
}

const DropZone = ({ onPickFiles, onPickFolder }: PickProps) => (
  <div className="relative rounded-card">
    <button
      type="button"
      onClick={onPickFiles}
      className="group grid w-full justify-items-center rounded-card px-6 pt-10 pb-16 text-center transition-colors hover:bg-surface focus-visible:rounded-card"
    >
      <StitchFrame />
      <span className="transition-transform duration-200 ease-out motion-safe:group-hover:-translate-y-1">
        <Spot pose="empty" sizePx={108} />
      </span>
      <span className="mt-4 text-base font-semibold">Drop files here or click to upload</span>
      <span className="mt-1 text-sm text-muted">
        Support for multiple files up to {limitText(settings.max_file_bytes)} each
      </span>
    </button>
    <div className="absolute inset-x-0 bottom-5 flex items-center justify-center gap-2 text-xs text-subtle max-sm:bottom-4">
      <button
        type="button"
        onClick={onPickFolder}
        className="inline-flex items-center gap-1.5 rounded-chip px-1.5 py-1 text-muted underline decoration-line underline-offset-4 hover:text-ink"
      >
        <FolderUp size={14} aria-hidden />
        Choose a folder
      </button>
      <span aria-hidden="true" className="max-sm:hidden">
        or paste with Ctrl V
      </span>
    </div>
  </div>
);

function QueueHead({ queue, onPickFiles }: { queue: UploadQueue; onPickFiles: () => void }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5 px-4 pt-4 sm:px-5 sm:pt-5">
        <h2 className="display text-lg">{plural(queue.items.length, 'file')} selected</h2>
        <ul className="flex flex-wrap gap-1.5">
          {countChips(queue.counts).map(({ text, tone }) => (
            <li key={text}>
              <Badge tone={tone}>{text}</Badge>
            </li>
          ))}
        </ul>
        <Button size="sm" className="ml-auto" onClick={onPickFiles}>
          <Plus size={15} aria-hidden />
          Add More Files
        </Button>
      </div>
      <div className="px-4 py-4 sm:px-5">
        <StitchBar thick value={queue.overallPercent} label="Overall upload progress" />
        <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-muted tabular">
          <span>
            <b className="font-semibold text-ink">{Math.floor(queue.overallPercent)}%</b> of {bytes(queue.totalBytes)}
          </span>
          {queue.busy && <span>{speedText(queue, queue.items)}</span>}
        </p>
      </div>
    </>
  );
}

function QueueFoot({ queue, sealed }: { queue: UploadQueue; sealed: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-2.5 px-4 py-4 sm:px-5">
      <Button tone="primary" size="lg" disabled={!queue.mayStart} onClick={queue.start}>
        <Upload size={17} aria-hidden />
        Upload {plural(queue.counts.pending, 'file')}
      </Button>
      <Button tone="ghost" size="lg" disabled={queue.busy} onClick={queue.clear}>
        Clear All
      </Button>
      {sealed && (
        <p className="ml-auto flex items-center gap-1.5 text-xs text-muted max-sm:ml-0 max-sm:w-full">
          <Lock size={14} aria-hidden className="text-success" />
          Encrypted in this browser before upload
        </p>
      )}
    </div>
  );
}

interface UploadPanelProps {
  queue: UploadQueue;
  /** Whether files are sealed on their way. */
  sealed: boolean;
}

/** The owner's upload zone (§2). */
export function UploadPanel({ queue, sealed }: UploadPanelProps) {
  const { inputs, pickFiles, pickFolder } = useFilePickers({ onFiles: queue.add });
  const { items, rejected, pause, resume, cancel, remove, retry } = queue;
  const actions = useMemo(() => ({ pause, resume, cancel, remove, retry }), [pause, resume, cancel, remove, retry]);
  return (
    <section aria-label="Upload" className="grid min-w-0 grid-cols-1 gap-4">
      {inputs}
      <RejectedFiles rejected={rejected} onDismiss={queue.dismissRejected} />
      {items.length === 0 ? (
        <DropZone onPickFiles={pickFiles} onPickFolder={pickFolder} />
      ) : (
        <div className="card min-w-0 overflow-hidden">
          <QueueHead queue={queue} onPickFiles={pickFiles} />
          <ul className="divide-y divide-line border-y border-line sm:max-h-[25.5rem] sm:overflow-y-auto">
            {items.map((item) => (
              <UploadRow key={item.id} item={item} actions={actions} />
            ))}
          </ul>
          <QueueFoot queue={queue} sealed={sealed} />
        </div>
      )}
    </section>
  );
}
