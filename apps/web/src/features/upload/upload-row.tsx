import { CircleAlert, CircleCheck, FileText, Pause, Play, RotateCw, WifiOff, X } from 'lucide-react';
import { memo, useEffect, useId, useState } from 'react';
import { cx } from '../../lib/class-names.ts';
import { kilobytes } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { IconButton } from '../../ui/button.tsx';
import { StitchBar } from '../../ui/stitch.tsx';
import { isSending, type UploadItem } from './queue.ts';
import { statusText, type TextTone } from './upload-texts.ts';
import type { UploadQueue } from './use-upload-queue.ts';

export type RowActions = Pick<UploadQueue, 'pause' | 'resume' | 'cancel' | 'remove' | 'retry'>;

const TONES = {
  muted: 'text-muted',
  success: 'text-success',
  danger: 'text-danger',
  accent: 'text-accent-text',
  info: 'text-info',
  warning: 'text-warning',
} as const satisfies Record<TextTone, string>;

const BAR_TONES = {
  muted: 'subtle',
  success: 'success',
  danger: 'danger',
  accent: 'accent',
  info: 'info',
  warning: 'warning',
} as const;

/** Larger pictures would be decoded whole for 40 pixels. */
const THUMBNAIL_MAX_BYTES = 20 * 1024 ** 2;
const DRAWN = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;

function Thumbnail({ file }: { file: File }) {
  const [src, setSrc] = useState<string | null>(null);
  useEffect(() => {
    if (!DRAWN.test(file.type) || file.size > THUMBNAIL_MAX_BYTES) return;
    const url = URL.createObjectURL(file);
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [file]);
  return (
    <span
      className="relative grid size-10 place-items-center overflow-hidden rounded-control bg-sunken text-subtle"
      aria-hidden="true"
    >
      {src ? (
        <img src={src} alt="" decoding="async" className="size-full object-cover" onError={() => setSrc(null)} />
      ) : (
        <FileText size={18} strokeWidth={1.75} />
      )}
    </span>
  );
}

function RetryClock({ item }: { item: UploadItem }) {
  return <>{statusText(item, useNow()).text}</>;
}

function Status({ item }: { item: UploadItem }) {
  const { text, tone } = statusText(item, Date.now());
  const isTicking = item.retryAtMs !== null;
  return (
    <span
      className={cx(
        'inline-flex min-w-0 items-start gap-1 max-sm:basis-full [&_svg]:mt-0.5 [&_svg]:shrink-0',
        TONES[tone],
      )}
    >
      {item.status === 'completed' && <CircleCheck size={13} aria-hidden />}
      {item.status === 'error' && <CircleAlert size={13} aria-hidden />}
      {(isTicking || item.offline) && <WifiOff size={13} aria-hidden />}
      <span className="wrap-anywhere">{isTicking ? <RetryClock item={item} /> : text}</span>
    </span>
  );
}

interface RowButtonsProps {
  item: UploadItem;
  nameId: string;
  actions: RowActions;
}

/** Which act is offered when (§4): pause and resume where an upload runs, cancel with them, else remove. */
function RowButtons({ item, nameId, actions }: RowButtonsProps) {
  const { id, status, waiting } = item;
  const described = { size: 'sm', 'aria-describedby': nameId } as const;
  const isRunning = isSending(item);
  const isPaused = status === 'paused';
  return (
    <div className="flex">
      {isRunning && (
        <IconButton label="Pause" {...described} onClick={() => actions.pause(id)}>
          <Pause size={16} aria-hidden />
        </IconButton>
      )}
      {isPaused && !waiting && (
        <IconButton label="Resume" {...described} onClick={() => actions.resume(id)}>
          <Play size={16} aria-hidden />
        </IconButton>
      )}
      {status === 'error' && (
        <IconButton label="Retry" {...described} onClick={() => actions.retry(id)}>
          <RotateCw size={16} aria-hidden />
        </IconButton>
      )}
      {(isRunning || isPaused) && (
        <IconButton label="Cancel" {...described} onClick={() => actions.cancel(id)}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
      {!isRunning && !isPaused && (
        <IconButton label="Remove" {...described} onClick={() => actions.remove(id)}>
          <X size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

interface UploadRowProps {
  item: UploadItem;
  /** The same object at every render, or every row of a long queue is drawn anew at every step of one. */
  actions: RowActions;
}

/** One file of the queue. Rows out of sight cost no layout: somebody may drop a folder of thousands. */
export const UploadRow = memo(function UploadRow({ item, actions }: UploadRowProps) {
  const nameId = useId();
  const { tone } = statusText(item, Date.now());
  return (
    <li className="grid grid-cols-[2.5rem_1fr_auto] items-center gap-x-3 px-4 py-2.5 [contain-intrinsic-size:auto_60px] [content-visibility:auto] sm:px-5">
      <Thumbnail file={item.file} />
      <div className="min-w-0">
        <p id={nameId} className="truncate text-sm font-medium" title={item.name}>
          {item.name}
        </p>
        <p className="flex flex-wrap gap-x-2 text-xs text-muted tabular">
          <span>{kilobytes(item.sizeBytes)}</span>
          <span aria-hidden="true" className="text-subtle">
            ·
          </span>
          <span className="wrap-anywhere">{item.mimeType || 'Unknown type'}</span>
          <span aria-hidden="true" className="text-subtle max-sm:hidden">
            ·
          </span>
          <Status item={item} />
        </p>
        {(isSending(item) || item.status === 'paused') && (
          <StitchBar value={item.percent} tone={BAR_TONES[tone]} label={`${item.name} progress`} className="mt-1.5" />
        )}
      </div>
      <RowButtons item={item} nameId={nameId} actions={actions} />
    </li>
  );
});
