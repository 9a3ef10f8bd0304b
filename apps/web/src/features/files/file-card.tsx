import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { CircleAlert, Download, KeyRound, Play, RotateCw, Trash2 } from 'lucide-react';
import { memo, type ReactNode, useId, useRef, useState } from 'react';
import { cx } from '../../lib/class-names.ts';
import { bytes } from '../../lib/format.ts';
import { fitName } from '../../lib/measure-text.ts';
import { KeyBadge, KeyHelp } from '../../ui/badge.tsx';
import { Cipher } from '../../ui/cipher.tsx';
import { StitchBar } from '../../ui/stitch.tsx';
import { cardAction, extensionText, offersRetry, PHASE_TEXT, type Thumbnail, thumbnailOf } from './card-model.ts';
import { FileIcon } from './file-icon.tsx';
import type { FileItem } from './file-model.ts';
import { useInView } from './use-in-view.ts';

export interface CardHandlers {
  /** Looks at an encrypted file; opens it first when it isn't open. */
  readonly onView: (id: string) => void;
  readonly onDownload: (id: string) => void;
  readonly onRetry: (id: string) => void;
  readonly onInView: (id: string, isVisible: boolean) => void;
  /** Asks whether to remove the file; null for everyone but the owner. */
  readonly onAskRemove: ((id: string) => void) | null;
}

interface FileCardProps extends CardHandlers {
  file: FileItem;
  nameWidthPx: number;
  /** Has the grid's one tab stop. */
  active: boolean;
  onFocus: (id: string) => void;
}

const CIPHER_CHARS = 520;

function Picture({ thumbnail }: { thumbnail: NonNullable<Thumbnail> }) {
  const [broken, setBroken] = useState<string | null>(null);
  const onError = () => {
    // §8: image and video load errors are only logged; the code says all.
    console.warn('A thumbnail could not be shown.');
    setBroken(thumbnail.src);
  };
  const look = 'size-full object-cover transition-transform duration-300 ease-out';
  const hover = 'motion-safe:group-hover/card:scale-[1.03]';
  if (broken === thumbnail.src) return null;
  if (thumbnail.tag === 'img') {
    return (
      <img src={thumbnail.src} alt="" loading="lazy" decoding="async" onError={onError} className={cx(look, hover)} />
    );
  }
  return (
    <>
      <video
        // The first frame stands for the film.
        src={`${thumbnail.src}#t=0.1`}
        preload="metadata"
        muted
        playsInline
        disableRemotePlayback
        tabIndex={-1}
        aria-hidden="true"
        onError={onError}
        className={cx('pointer-events-none', look, hover)}
      />
      <span
        aria-hidden="true"
        className="absolute right-2 bottom-2 inline-grid size-6 place-items-center rounded-chip bg-[oklch(0.15_0.01_290/0.85)] text-[oklch(0.98_0_0)]"
      >
        <Play size={11} fill="currentColor" />
      </span>
    </>
  );
}

const Placeholder = ({ file }: { file: FileItem }) => (
  <span
    className="absolute inset-0 grid place-content-center justify-items-center gap-2 text-subtle"
    aria-hidden="true"
  >
    <FileIcon kind={file.kind} sizePx={34} />
    <span className="font-mono text-2xs">{extensionText(file.name)}</span>
  </span>
);

function SealedFace({ file }: { file: FileItem }) {
  const isBusy = file.phase !== 'none';
  return (
    <>
      <Cipher seed={file.id} chars={CIPHER_CHARS} />
      {!isBusy && !file.error && (
        <span className="absolute inset-0 grid place-items-center" aria-hidden="true">
          <span
            className={cx(
              'grid size-11 place-items-center rounded-full bg-surface',
              file.badge === 'none' ? 'text-warning' : 'text-muted',
            )}
          >
            {file.badge === 'none' ? (
              <KeyRound size={20} strokeWidth={1.75} />
            ) : (
              <FileIcon kind={file.kind} sizePx={20} />
            )}
          </span>
        </span>
      )}
      {isBusy && (
        <StitchBar
          value={file.percent}
          tone={file.phase === 'downloading' ? 'info' : 'accent'}
          label={`${PHASE_TEXT[file.phase]} ${file.name}`}
          className="absolute inset-x-2.5 bottom-2.5 rounded-full bg-sunken px-1 py-0.5"
        />
      )}
    </>
  );
}

const ErrorLine = ({ id, children }: { id: string; children: ReactNode }) => (
  <p
    id={id}
    className="absolute inset-x-2 bottom-2 z-[6] flex gap-1.5 rounded-chip bg-danger-soft px-2 py-1.5 text-2xs text-danger wrap-anywhere"
  >
    <CircleAlert size={14} aria-hidden className="mt-px shrink-0" />
    {children}
  </p>
);

/** The bytes peel off once, at the moment the file is opened. */
function usePeel(isSealed: boolean): boolean {
  const [wasSealed, setWasSealed] = useState(isSealed);
  const [peels, setPeels] = useState(false);
  if (wasSealed !== isSealed) {
    setWasSealed(isSealed);
    setPeels(!isSealed);
  }
  return peels;
}

function Face({ file, errorId }: { file: FileItem; errorId: string }) {
  const isSealed = file.encrypted && file.badge !== 'cached';
  const peels = usePeel(isSealed);
  const thumbnail = thumbnailOf(file, AUTO_OPEN_BYTES);
  return (
    <div className="relative aspect-4/3 overflow-hidden bg-sunken">
      {isSealed ? (
        <SealedFace file={file} />
      ) : (
        <>
          <Placeholder file={file} />
          {thumbnail && (
            <span className="absolute inset-0 block">
              <Picture thumbnail={thumbnail} />
            </span>
          )}
        </>
      )}
      {file.error && <ErrorLine id={errorId}>{file.error.message}</ErrorLine>}
      {peels && <Cipher seed={file.id} chars={CIPHER_CHARS} leaving />}
      {file.badge && (
        <span className="absolute top-2 left-2">
          <KeyBadge state={file.badge} />
        </span>
      )}
    </div>
  );
}

/** Shortened in its middle for the eye alone: the whole name is there to be found on the page and copied. */
function FileName({ name, widthPx }: { name: string; widthPx: number }) {
  const [head, cut, tail] = fitName(name, widthPx);
  return (
    <p title={name} aria-hidden="true" className="truncate text-sm font-medium">
      {head}
      {cut && (
        <span className="text-[0px] leading-[0] before:text-sm before:leading-[0] before:content-['…']">{cut}</span>
      )}
      {tail}
    </p>
  );
}

function StateLine({ id, file }: { id: string; file: FileItem }) {
  const isBusy = file.phase !== 'none';
  return (
    <div id={id} className="mt-0.5 text-xs text-muted tabular">
      {isBusy ? (
        <p className={file.phase === 'downloading' ? 'text-info' : 'text-accent-text'}>
          {PHASE_TEXT[file.phase]} {file.percent}%
        </p>
      ) : (
        <p>
          {bytes(file.sizeBytes)}
          {file.badge && file.badge !== 'cached' && (
            <span className="sr-only">
              . <KeyHelp state={file.badge} />
            </span>
          )}
        </p>
      )}
    </div>
  );
}

interface SideButtonProps {
  file: FileItem;
  active: boolean;
  nameId: string;
  onDownload: (id: string) => void;
  onRetry: (id: string) => void;
}

function SideButton({ file, active, nameId, onDownload, onRetry }: SideButtonProps) {
  const retries = offersRetry(file);
  const label = retries ? 'Retry' : 'Download';
  const Icon = retries ? RotateCw : Download;
  return (
    <button
      type="button"
      tabIndex={active ? 0 : -1}
      aria-label={label}
      title={label}
      aria-describedby={nameId}
      disabled={file.phase !== 'none' || file.badge === 'none'}
      onClick={() => (retries ? onRetry : onDownload)(file.id)}
      className="relative z-10 grid size-9 shrink-0 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink focus-visible:rounded-control disabled:pointer-events-none disabled:opacity-40"
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden />
    </button>
  );
}

interface RemoveButtonProps {
  file: FileItem;
  active: boolean;
  nameId: string;
  onAskRemove: (id: string) => void;
}

/** Seen while the card is pointed at or holds the focus, and always where nothing can be pointed with. */
const RemoveButton = ({ file, active, nameId, onAskRemove }: RemoveButtonProps) => (
  <button
    type="button"
    tabIndex={active ? 0 : -1}
    aria-label="Delete file"
    title="Delete file"
    aria-describedby={nameId}
    onClick={() => onAskRemove(file.id)}
    className="absolute top-2 right-2 z-10 grid size-8 place-items-center rounded-control bg-surface text-muted transition-[opacity,color] duration-150 hover:text-danger focus-visible:rounded-control focus-visible:opacity-100 group-focus-within/card:opacity-100 group-hover/card:opacity-100 pointer-fine:opacity-0"
  >
    <Trash2 size={16} strokeWidth={1.75} aria-hidden />
  </button>
);

/** One file: the whole card is the target, with its own Download beside the name (§2). */
export const FileCard = memo(function FileCard(props: FileCardProps) {
  const { file, nameWidthPx, active, onView, onDownload, onRetry, onFocus, onInView, onAskRemove } = props;
  const card = useRef<HTMLDivElement>(null);
  const id = useId();
  const [nameId, stateId, errorId] = [`${id}-n`, `${id}-s`, `${id}-e`];
  useInView(card, file.id, onInView);
  const action = cardAction(file);
  const act = () => {
    if (action === 'view') onView(file.id);
    if (action === 'download') onDownload(file.id);
  };
  return (
    <div
      ref={card}
      className="group/card relative flex h-full flex-col overflow-hidden rounded-card bg-surface shadow-card transition-shadow duration-150 hover:shadow-pop has-[[data-main]:focus-visible]:outline-2 has-[[data-main]:focus-visible]:outline-offset-2 has-[[data-main]:focus-visible]:outline-focus"
    >
      <button
        type="button"
        data-main
        data-file={file.id}
        tabIndex={active ? 0 : -1}
        aria-disabled={action === 'nothing' || undefined}
        id={nameId}
        aria-label={file.name}
        aria-describedby={file.error ? `${stateId} ${errorId}` : stateId}
        onFocus={() => onFocus(file.id)}
        onClick={act}
        className={cx('absolute inset-0 z-[5] focus-visible:outline-none', action === 'nothing' && 'cursor-default')}
      />
      <Face file={file} errorId={errorId} />
      <div className="flex flex-1 items-start gap-1 py-2.5 pr-1.5 pl-3">
        <div className="min-w-0 flex-1">
          <FileName name={file.name} widthPx={nameWidthPx} />
          <StateLine id={stateId} file={file} />
        </div>
        <SideButton file={file} active={active} nameId={nameId} onDownload={onDownload} onRetry={onRetry} />
      </div>
      {onAskRemove && <RemoveButton file={file} active={active} nameId={nameId} onAskRemove={onAskRemove} />}
    </div>
  );
});
