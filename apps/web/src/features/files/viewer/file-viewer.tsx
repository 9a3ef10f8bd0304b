import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronLeft, ChevronRight, Download, Trash2, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Button, IconButton } from '../../../ui/base/button.tsx';
import { useReturnFocus } from '../../../ui/dialogs/dialog.tsx';
import { KeyBadge } from '../../../ui/states/badge.tsx';
import { DeleteFilesDialog } from '../actions/delete-files-dialog.tsx';
import { cardOf, tabStopCard } from '../grid/card-focus.ts';
import { ViewerContent } from './viewer-content.tsx';
import { ViewerStrip } from './viewer-strip.tsx';
import { type MediaSize, viewOf } from './viewer-view.ts';
import { ZoomControls, zoomStep } from './zoom-image.tsx';

export interface FileViewerProps {
  file: FileItem;
  /** Viewable files in the order of the grid. */
  files: readonly FileItem[];
  onMove: (id: string) => void;
  /** Opens a file whose content asks for it. */
  onOpen: (id: string) => void;
  onClose: () => void;
  /** Downloads, then closes (§2). */
  onDownload: (id: string) => void;
  /** Owner only. */
  onRemove: ((ids: readonly string[]) => Promise<readonly string[]>) | null;
}

function useMoves({ file, files, onMove }: FileViewerProps) {
  const at = files.findIndex(({ id }) => id === file.id);
  const go = (step: number) => {
    const next = files[(at + step + files.length) % files.length];
    if (next && next.id !== file.id) onMove(next.id);
  };
  return { at, go };
}

const MOVE = 'absolute! top-1/2 -mt-5.5 rounded-full max-sm:hidden';

function MoveButtons({ go }: { go: (step: number) => void }) {
  const { t } = useLingui();
  return (
    <>
      <IconButton label={t`Previous file`} size="lg" tone="quiet" onClick={() => go(-1)} className={`${MOVE} left-3`}>
        <ChevronLeft size={20} aria-hidden />
      </IconButton>
      <IconButton label={t`Next file`} size="lg" tone="quiet" onClick={() => go(1)} className={`${MOVE} right-3`}>
        <ChevronRight size={20} aria-hidden />
      </IconButton>
    </>
  );
}

interface HeaderProps extends FileViewerProps {
  place: string;
  scale: number;
  size: MediaSize | null;
  zoom: React.RefObject<ReactZoomPanPinchRef | null>;
  onAskRemove: () => void;
}

function ViewerHeader({ file, place, scale, size, zoom, onDownload, onRemove, onAskRemove }: HeaderProps) {
  const { t } = useLingui();
  const [widthPx, heightPx] = size ?? [0, 0];
  return (
    <header className="flex min-h-14 items-center gap-2 px-3 sm:gap-3 sm:px-4">
      <div className="min-w-0 flex-1">
        <Dialog.Title className="truncate text-sm font-semibold">{file.name}</Dialog.Title>
        <p className="text-xs text-muted tabular">
          {place} <span aria-hidden="true">·</span> {bytes(file.sizeBytes)}
          {widthPx > 0 && (
            <span className="max-sm:hidden">
              {' '}
              <span aria-hidden="true">·</span> {widthPx} × {heightPx}
            </span>
          )}
        </p>
      </div>
      {file.badge && file.badge !== 'foreign' && <KeyBadge state={file.badge} className="max-md:hidden" />}
      {viewOf(file) === 'image' && <ZoomControls scale={scale} zoom={zoom} />}
      {onRemove && (
        <IconButton label={t`Delete file`} tone="dangerSoft" onClick={onAskRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
      <Button tone="primary" onClick={() => onDownload(file.id)} className="max-sm:px-2.5">
        <Download size={16} aria-hidden />
        <span className="max-sm:sr-only">
          <Trans>Download</Trans>
        </span>
      </Button>
      <Dialog.Close asChild>
        <Button tone="quiet" className="max-sm:px-2.5">
          <X size={16} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Close</Trans>
          </span>
        </Button>
      </Dialog.Close>
    </header>
  );
}

type Zoom = React.RefObject<ReactZoomPanPinchRef | null>;

/** Keys of the viewer (DESIGN-UX §5); a playing video keeps its own keys. */
function useViewerKeys({ file, onDownload }: FileViewerProps, go: (step: number) => void, zoom: Zoom) {
  return (event: KeyboardEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest('video, audio, [role=alertdialog]');
    if (isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Readonly<Record<string, () => void>> = {
      ArrowRight: () => go(1),
      ArrowLeft: () => go(-1),
      d: () => onDownload(file.id),
      ...zoomStep(zoom.current),
    };
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!run) return;
    event.preventDefault();
    run();
  };
}

/** The dialog itself takes the focus, so that its keys work at once; on close, focus returns to the file's card. */
function useViewerFocus(id: string) {
  const content = useRef<HTMLDivElement>(null);
  const focus = useReturnFocus(() => cardOf(id) ?? tabStopCard());
  const onOpenAutoFocus = (event: Event) => {
    focus.onOpenAutoFocus();
    event.preventDefault();
    content.current?.focus();
  };
  return { ref: content, tabIndex: -1, onCloseAutoFocus: focus.onCloseAutoFocus, onOpenAutoFocus };
}

/** Zoom, width and height of the current file; reset for each file. */
function usePictureFacts(id: string) {
  const [scale, setScale] = useState(1);
  const [size, setSize] = useState<MediaSize | null>(null);
  useEffect(() => {
    if (!id) return;
    setScale(1);
    setSize(null);
  }, [id]);
  return { scale, setScale, size, setSize };
}

/** The file modal (§2): zoomable picture, video with controls, or name, size and type. */
export function FileViewer(props: FileViewerProps) {
  const { file, files, onMove, onOpen, onClose, onRemove } = props;
  const { at, go } = useMoves(props);
  const zoom: Zoom = useRef(null);
  const { scale, setScale, size, setSize } = usePictureFacts(file.id);
  const [asking, setAsking] = useState(false);
  const onKeyDown = useViewerKeys(props, go, zoom);
  const focus = useViewerFocus(file.id);
  const place = `${at + 1} / ${files.length}`;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-canvas motion-safe:animate-fade" />
        <Dialog.Content
          {...focus}
          onKeyDown={onKeyDown}
          aria-describedby={undefined}
          className="fixed inset-0 z-50 flex flex-col focus-visible:outline-none"
        >
          <ViewerHeader
            {...props}
            place={place}
            scale={scale}
            size={size}
            zoom={zoom}
            onAskRemove={() => setAsking(true)}
          />
          <div className="relative min-h-0 flex-1 bg-sunken">
            <ViewerContent file={file} zoom={zoom} onOpen={() => onOpen(file.id)} onScale={setScale} onSize={setSize} />
            {files.length > 1 && <MoveButtons go={go} />}
          </div>
          {files.length > 1 && <ViewerStrip file={file} files={files} onMove={onMove} />}
          {onRemove && asking && (
            <DeleteFilesDialog files={[file]} onClose={() => setAsking(false)} onRemove={onRemove} onDone={onClose} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
