import type { RangeReader } from '@satchel/client/open/read-range';
import { AppError } from '@satchel/contract/errors';
import { type ComponentType, type RefObject, Suspense, useMemo, useRef, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { openingWay } from '../../../engine/files/opening-way.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import { Dots } from '../../../ui/base/button.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { phaseLabel, phaseText } from '../grid/card-model.ts';
import { useWantedStill } from '../use-file-still.ts';
import { useStill } from '../use-still.ts';
import { AudioPlayer } from './audio-player.tsx';
import type { ContentProps } from './content/content-props.ts';
import { PlayerStandstill, Standstill } from './standstill.tsx';
import { Reason, ViewerPanel } from './viewer-panel.tsx';
import type { MediaSize, View } from './viewer-view.ts';
import { ZoomImage } from './zoom-image.tsx';

interface ProgressProps {
  file: FileItem;
  onRetry: () => void;
}

function Progress({ file: { phase, percent, name }, onRetry }: ProgressProps) {
  if (phase === 'none') return <Dots />;
  if (phase === 'waiting') return <Standstill onRetry={onRetry} />;
  return (
    <div className="w-64 max-w-[80vw] rounded-control bg-surface px-3 py-2 shadow-pop">
      <p className="mb-1.5 text-center text-xs text-muted tabular" aria-hidden="true">
        {phaseText(phase, percent)}
      </p>
      <StitchBar value={percent} label={phaseLabel(phase, name)} />
    </div>
  );
}

/** While a file loads: its still at the picture's final size, or an icon of its kind. */
function Coming({ file, stillUrl, onRetry }: ProgressProps & { stillUrl: string | null }) {
  if (stillUrl === null) {
    return (
      <div className="grid size-full place-content-center justify-items-center gap-5 text-subtle">
        <FileIcon kind={file.kind} sizePx={56} />
        <Progress file={file} onRetry={onRetry} />
      </div>
    );
  }
  return (
    <>
      <img src={stillUrl} alt={file.name} className="pointer-events-none fitted" />
      <div className="absolute inset-x-0 bottom-4 grid justify-items-center">
        <Progress file={file} onRetry={onRetry} />
      </div>
    </>
  );
}

interface FilmProps {
  file: FileItem;
  src: string;
  /** Shown until a still is drawn from the film. */
  poster: string | null;
  onError: () => void;
  onSize: (size: MediaSize) => void;
  /** It has no picture: a sound in a film's container. */
  onSoundOnly: () => void;
}

/** As large as the viewer allows, so that the controls overlay the picture and don't sit beside it. */
function filmBox([widthPx, heightPx]: MediaSize) {
  const ratio = widthPx / heightPx;
  return { aspectRatio: ratio, width: `min(100% - 1rem, 1200px, (100dvh - 11rem) * ${ratio})` };
}

function Film({ file, src, poster, onError, onSize, onSoundOnly }: FilmProps) {
  // A plain film would be fetched a second time.
  const drawn = useStill(file.encrypted ? { kind: 'film', src } : null);
  const still = drawn?.url ?? poster;
  const [size, setSize] = useState<MediaSize | null>(null);
  const player = useRef<HTMLVideoElement>(null);
  return (
    <>
      <video
        ref={player}
        src={src}
        {...(still ? { poster: still } : {})}
        aria-label={file.name}
        controls
        playsInline
        preload="metadata"
        onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) => {
          if (videoWidth === 0) return onSoundOnly();
          setSize([videoWidth, videoHeight]);
          onSize([videoWidth, videoHeight]);
        }}
        onError={onError}
        {...(size ? { style: filmBox(size) } : {})}
        className={cx('rounded-control', size ? 'absolute inset-0 m-auto h-auto' : 'fitted')}
      />
      <div className="absolute inset-x-0 top-4 grid justify-items-center">
        <PlayerStandstill player={player} src={src} />
      </div>
    </>
  );
}

/** Viewers by kind, each loaded when it is first needed. A kind without one shows name, size and type. */
const CONTENTS: Partial<Record<View, ComponentType<ContentProps>>> = {
  text: lazyPart(() => import('./content/text-content.tsx'), 'TextContent'),
  code: lazyPart(() => import('./content/code-content.tsx'), 'CodeContent'),
  markdown: lazyPart(() => import('./content/markdown-content.tsx'), 'MarkdownContent'),
  table: lazyPart(() => import('./content/table-content.tsx'), 'TableContent'),
  pdf: lazyPart(() => import('./content/pdf-content.tsx'), 'PdfContent'),
  zip: lazyPart(() => import('./content/zip-content.tsx'), 'ZipContent'),
  heavy_drawing: lazyPart(() => import('./content/heavy-drawing.tsx'), 'HeavyDrawing'),
  rare_picture: lazyPart(() => import('./content/rare-picture.tsx'), 'RarePicture'),
};

/** Reads ranges of a file: from memory when it is there, else from the server. */
function useRangeReader({ id, url, entry, name, sizeBytes, encrypted, proof, opened }: FileItem): RangeReader {
  const blob = opened?.blob ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file that is listed as another has another proof
  return useMemo(() => {
    const made = Promise.all([
      import('@satchel/client/open/read-range'),
      import('../../../engine/media/media-client.ts'),
    ]).then(([{ blobReader, createRangeReader, plainReader }, { READING }]) => {
      if (blob) return blobReader(blob);
      if (!encrypted) return plainReader({ url, name, sizeBytes }, { ...READING, fetch: (...call) => fetch(...call) });
      if (proof === null) throw new AppError('open.foreign');
      return createRangeReader({ url, entry, name, proof }, READING);
    });
    // Each reading gives its error.
    made.catch(() => {});
    return async (...range) => (await made)(...range);
  }, [id, proof, blob]);
}

const Waiting = () => (
  <div className="grid size-full place-items-center text-subtle">
    <Dots />
  </div>
);

/** The opened file that turned out to be something, until another is shown. */
function useTurnedOut(opened: FileItem['opened']) {
  const [which, setWhich] = useState<FileItem['opened']>(null);
  return [which !== null && which === opened, () => setWhich(opened)] as const;
}

interface ViewerContentProps {
  file: FileItem;
  view: View;
  /** Draws a heavy drawing all the same. */
  onDraw: () => void;
  zoom: RefObject<ReactZoomPanPinchRef | null>;
  /** Fetches and opens the file. */
  onOpen: () => void;
  /** The same, once it has failed. */
  onRetry: () => void;
  onScale: (scale: number) => void;
  onSize: (size: MediaSize) => void;
  /** This browser can't show the file. */
  onBroken: () => void;
}

/** The viewer's content. Types that the browser can't draw show name, size and type. */
export function ViewerContent(props: ViewerContentProps) {
  const { file, zoom, onOpen, onDraw, onRetry, onScale, onSize, onBroken } = props;
  const { opened } = file;
  const [isBroken, setBroken] = useTurnedOut(opened);
  const [isSound, setSound] = useTurnedOut(opened);
  const stillUrl = useWantedStill(file.still, 'large');
  const read = useRangeReader(file);
  const view = isBroken ? 'default' : props.view;
  const Content = CONTENTS[view];
  const opensItself = Content !== undefined && openingWay(file.name, file.type) === 'itself';
  // Of an empty file there is nothing to wait for.
  const isComing = opened === null && file.error === null && !opensItself && file.sizeBytes > 0;
  if (isComing) return <Coming file={file} stillUrl={stillUrl} onRetry={onRetry} />;
  const panel = (
    <ViewerPanel file={file} stillUrl={stillUrl}>
      <Reason file={file} isBroken={isBroken} onRetry={onRetry} />
    </ViewerPanel>
  );
  if (opened === null && !(opensItself && file.error === null)) return panel;
  const onError = () => {
    // Image and video load errors are only logged.
    console.warn('This browser could not show the file.');
    setBroken();
    onBroken();
  };
  if (Content) {
    return (
      <Suspense fallback={<Waiting />}>
        <Content
          key={file.id}
          file={file}
          opened={opened}
          read={read}
          onOpen={onOpen}
          onDraw={onDraw}
          onSize={onSize}
          onFailed={onError}
        />
      </Suspense>
    );
  }
  if (view === 'weighed') return <Waiting />;
  const shown = { file, src: opened?.objectUrl ?? '', onError };
  if (view === 'image')
    return <ZoomImage key={file.id} {...shown} name={file.name} zoom={zoom} onScale={onScale} onSize={onSize} />;
  if (view === 'audio' || isSound) return <AudioPlayer key={file.id} {...shown} read={read} />;
  if (view === 'video')
    return <Film key={file.id} {...shown} poster={stillUrl} onSize={onSize} onSoundOnly={setSound} />;
  return panel;
}
