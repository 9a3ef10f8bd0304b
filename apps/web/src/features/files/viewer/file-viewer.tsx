import { useLingui } from '@lingui/react/macro';
import { renderType } from '@satchel/client/open/render-type';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { announce } from '../../../lib/base/announce.ts';
import { useMedia } from '../../../lib/browser/hooks.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { useReturnFocus } from '../../../ui/dialogs/dialog.tsx';
import { DeleteFilesDialog } from '../actions/delete-files-dialog.tsx';
import { cardOf, tabStopCard } from '../grid/card-focus.ts';
import { type OpeningHandlers, useOpening } from './use-opening.ts';
import { useSwipe } from './use-swipe.ts';
import { ViewerContent } from './viewer-content.tsx';
import { ViewerHeader } from './viewer-header.tsx';
import { ViewerStrip } from './viewer-strip.tsx';
import { type MediaSize, useView } from './viewer-view.ts';
import { toggleZoom, ZoomControls, zoomStep } from './zoom-image.tsx';

export interface FileViewerProps extends OpeningHandlers {
  file: FileItem;
  /** All files of the folder that can be opened, in the order of the grids. */
  files: readonly FileItem[];
  onMove: (id: string) => void;
  /** Opens a file again that could not be opened. */
  onRetry: (id: string) => void;
  onClose: () => void;
  /** Downloads, then closes. */
  onDownload: (id: string) => void;
  /** Owner only. */
  onRemove: ((ids: readonly string[]) => Promise<readonly string[]>) | null;
}

/** The first file follows the last. A move is said: the focus stays where it is. */
function useMoves({ file, files, onMove }: FileViewerProps) {
  const { t } = useLingui();
  const { length } = files;
  const at = files.findIndex(({ id }) => id === file.id);
  const go = (step: number) => {
    const to = (at + step + length) % length;
    const next = files[to];
    if (!next || next.id === file.id) return;
    onMove(next.id);
    const { name, directory } = next;
    const number = to + 1;
    const isElsewhere = directory !== '' && directory !== file.directory;
    announce(isElsewhere ? t`${name} in ${directory}, ${number} of ${length}` : t`${name}, ${number} of ${length}`);
  };
  return { place: `${at + 1} / ${length}`, go };
}

/** A plain file is shown from where it is stored, by its safe type: there is nothing to open. */
function useShown(file: FileItem): FileItem {
  return useMemo(() => {
    if (file.encrypted) return file;
    const { name, sizeBytes, url } = file;
    return { ...file, opened: { name, type: renderType(name, file.type), blob: null, objectUrl: url, sizeBytes } };
  }, [file]);
}

type Zoom = React.RefObject<ReactZoomPanPinchRef | null>;

/** Elements that handle the keyboard themselves: a playing film, a question, and a content that says so. */
const OWN_KEYS = 'video, audio, [role=alertdialog], [data-own-keys]';

/** Keys of the viewer. */
function useViewerKeys({ file, onDownload }: FileViewerProps, go: (step: number) => void, zoom: Zoom) {
  return (event: KeyboardEvent) => {
    const isElsewhere = event.target instanceof Element && event.target.closest(OWN_KEYS);
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

/**
 * The dialog itself takes the focus, so that its keys work at once. On close, focus returns to the file's card. When that card is
 * in another directory, focus returns to the card that opened the viewer.
 */
function useViewerFocus(id: string) {
  const content = useRef<HTMLDivElement>(null);
  const first = useRef(id);
  const focus = useReturnFocus(() => cardOf(id) ?? cardOf(first.current) ?? tabStopCard());
  const onOpenAutoFocus = (event: Event) => {
    focus.onOpenAutoFocus();
    event.preventDefault();
    content.current?.focus();
  };
  /** Escape closes dialogs above the viewer first. */
  const onEscapeKeyDown = (event: globalThis.KeyboardEvent) => {
    const above = content.current?.querySelector<HTMLElement>(':popover-open');
    if (!above) return;
    event.preventDefault();
    above.hidePopover();
  };
  return { ref: content, tabIndex: -1, onEscapeKeyDown, onCloseAutoFocus: focus.onCloseAutoFocus, onOpenAutoFocus };
}

/** Zoom, width and height of the current file, and whether it can't be shown; reset for each file. */
function usePictureFacts(id: string) {
  const [scale, setScale] = useState(1);
  const [size, setSize] = useState<MediaSize | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (!id) return;
    setScale(1);
    setSize(null);
    setBroken(false);
  }, [id]);
  return { scale, setScale, size, setSize, isBroken, setBroken };
}

interface MoveButtonProps {
  go: (step: number) => void;
  className?: string;
}

function PreviousButton({ go, className }: MoveButtonProps) {
  const { t } = useLingui();
  return (
    <IconButton label={t`Previous file`} size="lg" tone="quiet" onClick={() => go(-1)} className={className}>
      <ChevronLeft size={20} aria-hidden />
    </IconButton>
  );
}

function NextButton({ go, className }: MoveButtonProps) {
  const { t } = useLingui();
  return (
    <IconButton label={t`Next file`} size="lg" tone="quiet" onClick={() => go(1)} className={className}>
      <ChevronRight size={20} aria-hidden />
    </IconButton>
  );
}

const BESIDE = 'absolute! top-1/2 -mt-5.5 rounded-full';

/** Over the sides of the content. */
const MoveButtons = ({ go }: MoveButtonProps) => (
  <>
    <PreviousButton go={go} className={`${BESIDE} left-3`} />
    <NextButton go={go} className={`${BESIDE} right-3`} />
  </>
);

/** On a phone, below the content: a thumb reaches them there, and they hide nothing. */
const MoveBar = ({ go, children }: MoveButtonProps & { children: ReactNode }) => (
  <div className="flex min-h-11 items-center justify-between gap-2 px-3 pt-2">
    <PreviousButton go={go} />
    {children}
    <NextButton go={go} />
  </div>
);

/** The file modal: zoomable picture, film or sound with controls, text, or name, size and type. */
export function FileViewer(given: FileViewerProps) {
  const file = useShown(given.file);
  const props = { ...given, file };
  const { files, onMove, onOpen, onRetry, onClose, onDownload, onRemove } = props;
  const { place, go } = useMoves(props);
  const zoom: Zoom = useRef(null);
  const { scale, setScale, size, setSize, isBroken, setBroken } = usePictureFacts(file.id);
  const [asking, setAsking] = useState(false);
  const isPhone = useMedia('(width < 640px)');
  const onKeyDown = useViewerKeys(props, go, zoom);
  const focus = useViewerFocus(file.id);
  useOpening(file, files, props);
  const { view, onDraw } = useView(file);
  const hasOthers = files.length > 1;
  const isZoomable = view === 'image' && file.opened !== null && !isBroken;
  const zoomControls = isZoomable && <ZoomControls scale={scale} zoom={zoom} />;
  const onDoubleTap = isZoomable ? (x: number, y: number) => toggleZoom(zoom.current, x, y) : null;
  const swipe = useSwipe({ go, isBlocked: scale > 1.01, onDoubleTap });
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-canvas motion-safe:animate-fade" />
        <Dialog.Content
          {...focus}
          onKeyDown={onKeyDown}
          aria-describedby={undefined}
          className="fixed inset-0 z-50 flex flex-col pt-[env(safe-area-inset-top)] pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] focus-visible:outline-none"
        >
          <ViewerHeader
            file={file}
            place={place}
            size={size}
            onDownload={onDownload}
            onAskRemove={onRemove && (() => setAsking(true))}
          >
            {!isPhone && zoomControls}
          </ViewerHeader>
          <div {...swipe} className="relative min-h-0 flex-1 touch-pan-y touch-pinch-zoom overflow-hidden bg-sunken">
            <div className="absolute inset-0">
              <ViewerContent
                file={file}
                view={view}
                zoom={zoom}
                onDraw={onDraw}
                onOpen={() => onOpen(file.id)}
                onRetry={() => onRetry(file.id)}
                onScale={setScale}
                onSize={setSize}
                onBroken={() => setBroken(true)}
              />
            </div>
            {hasOthers && !isPhone && <MoveButtons go={go} />}
          </div>
          {hasOthers && isPhone && <MoveBar go={go}>{zoomControls}</MoveBar>}
          {hasOthers && <ViewerStrip file={file} files={files} onMove={onMove} />}
          {!hasOthers && isPhone && zoomControls && <div className="flex justify-center p-2">{zoomControls}</div>}
          {onRemove && asking && (
            <DeleteFilesDialog files={[file]} onClose={() => setAsking(false)} onRemove={onRemove} onDone={onClose} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
