import { Trans, useLingui } from '@lingui/react/macro';
import { settledType } from '@satchel/client/open/transport-stream';
import { hasChanged, isSending, type UploadItem } from '@satchel/client/send/list/queue';
import { SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { CircleAlert, CircleCheck, FolderOpen, Pause, Play, RotateCw, WifiOff, X } from 'lucide-react';
import { memo, type ReactNode, useEffect, useId, useState } from 'react';
import { fileKind } from '../../../engine/files/file-model.ts';
import type { UploadActions } from '../../../engine/uploads/folder-uploads.ts';
import { isItsOwnStill, stillKind } from '../../../engine/uploads/stills/still-kind.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { useDeviceNow } from '../../../lib/browser/hooks.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { CutName } from '../../../ui/cut-name.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { statusText, type TextTone } from '../upload-texts.ts';
import { CancelQuestion } from './cancel-question.tsx';

export type RowActions = Pick<UploadActions, 'pause' | 'resume' | 'cancel' | 'remove' | 'retry' | 'rechoose'>;

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
  warning: 'subtle',
} as const;

/** What a row shows of its file: the still that is sent after it, or a picture that is too small to have one. */
async function pictureOf(file: File, signal: AbortSignal): Promise<Blob | null> {
  if (!stillKind(file)) return isItsOwnStill(file) ? file : null;
  const { stillMaker } = await import('../../../engine/uploads/stills/page-stills.ts');
  return stillMaker.small(file, signal);
}

function useLocalPicture(file: File) {
  const [src, setSrc] = useState<string | null>(null);
  useEffect(() => {
    const control = new AbortController();
    let url: string | null = null;
    const show = (picture: Blob | null) => {
      if (picture === null || control.signal.aborted) return;
      url = URL.createObjectURL(picture);
      setSrc(url);
    };
    // Without the code that draws, the row has its icon.
    pictureOf(file, control.signal).then(show, () => {});
    return () => {
      control.abort();
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [file]);
  return [src, () => setSrc(null)] as const;
}

function Thumbnail({ file, name, type }: Pick<UploadItem, 'file' | 'name'> & { type: string }) {
  const [src, onBroken] = useLocalPicture(file);
  return (
    <span
      className="relative grid size-10 place-items-center overflow-hidden rounded-control bg-sunken text-subtle"
      aria-hidden="true"
    >
      {src ? (
        <img src={src} alt="" decoding="async" className="size-full object-cover" onError={onBroken} />
      ) : (
        <FileIcon kind={fileKind(name, type)} sizePx={18} />
      )}
    </span>
  );
}

function RetryClock({ item }: { item: UploadItem }) {
  return <>{statusText(item, useDeviceNow()).text}</>;
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

interface RowAct {
  readonly label: string;
  readonly icon: ReactNode;
  readonly act: (id: string) => void;
}

/** Opens the browser's own dialog for one file. */
function chooseFile(onFile: (file: File) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file' });
  input.addEventListener('change', () => input.files?.[0] && onFile(input.files[0]));
  input.click();
}

/** A small file is sent whole or not at all: only of a large one is something there that would have to be sent again. */
export const losesWork = ({ sizeBytes, bytesUploaded }: UploadItem): boolean =>
  sizeBytes > SMALL_FILE_BYTES && bytesUploaded > 0;

/** Actions by state: pause and resume while an upload runs, with cancel; else remove. */
function useActs(item: UploadItem, actions: RowActions, onAsk: () => void): (RowAct | null)[] {
  const { pause, resume, cancel, remove, retry, rechoose } = actions;
  const { t } = useLingui();
  const isRunning = isSending(item);
  const isPaused = item.status === 'paused';
  const paused = { label: t`Resume`, icon: <Play size={16} aria-hidden />, act: resume };
  const running = { label: t`Pause`, icon: <Pause size={16} aria-hidden />, act: pause };
  const failed = { label: t`Retry`, icon: <RotateCw size={16} aria-hidden />, act: retry };
  const changed = {
    label: t`Choose it again`,
    icon: <FolderOpen size={16} aria-hidden />,
    act: (id: string) => chooseFile((file) => rechoose(id, file)),
  };
  const idle = item.status === 'error' ? (item.error && hasChanged(item.error) ? changed : failed) : null;
  const ends = isRunning || isPaused;
  return [
    isRunning ? running : isPaused && !item.queued ? paused : idle,
    {
      label: ends ? t`Cancel` : t`Remove`,
      icon: <X size={16} aria-hidden />,
      act: !ends ? remove : losesWork(item) ? onAsk : cancel,
    },
  ];
}

interface RowButtonsProps {
  item: UploadItem;
  nameId: string;
  actions: RowActions;
  isTabStop: boolean;
}

/** Two button positions keep their elements while their actions change, so that the focused one keeps the focus. */
function RowButtons({ item, nameId, actions, isTabStop }: RowButtonsProps) {
  const [isAsking, setAsking] = useState(false);
  const [first, second] = useActs(item, actions, () => setAsking(true)).map(
    (one) =>
      one && (
        <IconButton
          label={one.label}
          size="sm"
          tabIndex={isTabStop ? 0 : -1}
          aria-describedby={nameId}
          onClick={() => one.act(item.id)}
        >
          {one.icon}
        </IconButton>
      ),
  );
  return (
    // The buttons always take the width of two: beside one, the text would need a line less, and the rows below would jump.
    <div className="grid grid-cols-2">
      {first ?? <span />}
      {second}
      {isAsking && <CancelQuestion onClose={() => setAsking(false)} onConfirm={() => actions.cancel(item.id)} />}
    </div>
  );
}

/** Position of a row in a long list. */
interface RowPlace {
  readonly index: number;
  readonly count: number;
  readonly offsetPx: number;
  readonly measure: (element: HTMLElement | null) => void;
}

/** In a long list, a row states its position: most other rows are not in the DOM. */
const placed = ({ index, count, offsetPx, measure }: RowPlace) => ({
  ref: measure,
  'data-index': index,
  'aria-posinset': index + 1,
  'aria-setsize': count,
  style: { transform: `translateY(${offsetPx}px)` },
});

/** Where the file goes, up to its name; a plain folder has no directories, and its names say them. */
function directoryOf({ sealed, path, name }: UploadItem): string {
  return sealed && path.endsWith(`/${name}`) ? path.slice(0, -name.length) : '';
}

interface UploadRowProps {
  item: UploadItem;
  actions: RowActions;
  place?: RowPlace;
  /** Whether Tab stops at its buttons. */
  isTabStop: boolean;
}

const isSamePlace = (a: RowPlace | undefined, b: RowPlace | undefined) =>
  a?.index === b?.index && a?.count === b?.count && a?.offsetPx === b?.offsetPx;

/** One file of the queue. */
export const UploadRow = memo(
  function UploadRow({ item, actions, place, isTabStop }: UploadRowProps) {
    const { t } = useLingui();
    const nameId = useId();
    const { tone } = statusText(item, Date.now());
    const { name } = item;
    const type = settledType(name, item.mimeType, item.sizeBytes);
    const directory = directoryOf(item);
    return (
      <li
        {...(place ? placed(place) : {})}
        data-upload={item.id}
        className={cx(
          'grid grid-cols-[2.5rem_1fr_auto] items-center gap-x-3 px-4 py-2.5 sm:px-5',
          place && 'absolute inset-x-0 top-0 border-b border-line contain-content',
        )}
      >
        <Thumbnail file={item.file} name={name} type={type} />
        <div className="min-w-0">
          <p id={nameId} className="flex text-sm font-medium" title={directory + name}>
            {directory !== '' && <span className="min-w-0 shrink-[999999] truncate text-muted">{directory}</span>}
            <CutName name={name} />
          </p>
          <p className="dotted flex flex-wrap text-xs text-muted tabular">
            <span>{bytes(item.sizeBytes)}</span>
            <span className="wrap-anywhere">{type || t`Unknown type`}</span>
            <Status item={item} />
            {item.goesByRequests && isSending(item) && (
              <span>
                <Trans>This network blocks WebSockets: sent by HTTP requests</Trans>
              </span>
            )}
          </p>
          {(isSending(item) || item.status === 'paused') && (
            <StitchBar
              value={item.percent}
              tone={BAR_TONES[tone]}
              label={t`${name} progress`}
              // Within the row's padding: the row keeps its height, and the rows below keep their places.
              className="mt-0.5 -mb-2"
            />
          )}
        </div>
        <RowButtons item={item} nameId={nameId} actions={actions} isTabStop={isTabStop} />
      </li>
    );
  },
  (before, now) =>
    before.item === now.item &&
    before.actions === now.actions &&
    before.isTabStop === now.isTabStop &&
    isSamePlace(before.place, now.place),
);
