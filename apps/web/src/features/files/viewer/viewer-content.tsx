import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, type RefObject, Suspense, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import type { ContentKind } from '../../../engine/files/content-kind.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { openingWay } from '../../../engine/files/opening-way.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Dots } from '../../../ui/base/button.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { FileIcon } from '../file-icon.tsx';
import { phaseLabel, phaseText, pictureText } from '../grid/card-model.ts';
import { useWantedStill } from '../use-file-still.ts';
import { useStill } from '../use-still.ts';
import { CONTENTS } from './content/contents.ts';
import { useRangeReader } from './content/use-range-reader.ts';
import { type MediaSize, viewOf } from './viewer-view.ts';
import { ZoomImage } from './zoom-image.tsx';

function Panel({ file, stillUrl, children }: { file: FileItem; stillUrl: string | null; children?: ReactNode }) {
  const { t } = useLingui();
  const facts = [
    [t`Name`, file.name],
    [t`Size`, bytes(file.sizeBytes)],
    [t`Type`, file.type || t`Unknown type`],
  ] as const;
  return (
    <div className="grid size-full place-items-center overflow-y-auto p-6">
      <div className="card w-full max-w-sm p-6">
        <span className="grid h-36 place-content-center justify-items-center gap-2 rounded-control bg-sunken text-subtle">
          {stillUrl === null ? (
            <>
              <FileIcon kind={file.kind} sizePx={44} />
              <span className="font-mono text-xs">{pictureText(file.name, t)}</span>
            </>
          ) : (
            <img src={stillUrl} alt="" className="max-h-36 max-w-full object-contain" />
          )}
        </span>
        {children}
        <dl className="mt-5 grid gap-2.5 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="flex justify-between gap-6">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 text-right wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

const Note = ({ children }: { children: ReactNode }) => <p className="mt-4 text-sm text-muted">{children}</p>;

interface FilmProps {
  file: FileItem;
  src: string;
  /** Shown until a still is drawn from the film. */
  poster: string | null;
  onError: () => void;
  onSize: (size: MediaSize) => void;
}

/** As large as the viewer allows, so that the controls overlay the picture and don't sit beside it. */
function filmBox([widthPx, heightPx]: MediaSize) {
  const ratio = widthPx / heightPx;
  return { aspectRatio: ratio, width: `min(100% - 1rem, 1200px, (100dvh - 11rem) * ${ratio})` };
}

function Film({ file, src, poster, onError, onSize }: FilmProps) {
  const drawn = useStill({ kind: 'film', src });
  const still = drawn?.url ?? poster;
  const [size, setSize] = useState<MediaSize | null>(null);
  const hasPicture = size !== null && size[0] > 0;
  return (
    <video
      src={src}
      {...(still ? { poster: still } : {})}
      aria-label={file.name}
      controls
      playsInline
      preload="metadata"
      onLoadedMetadata={({ currentTarget: { videoWidth, videoHeight } }) => {
        setSize([videoWidth, videoHeight]);
        onSize([videoWidth, videoHeight]);
      }}
      onError={onError}
      {...(hasPicture ? { style: filmBox(size) } : {})}
      className={cx(
        'absolute rounded-control',
        hasPicture
          ? 'inset-0 m-auto h-auto'
          : 'inset-2 size-[calc(100%-1rem)] object-contain sm:inset-4 sm:size-[calc(100%-2rem)]',
      )}
    />
  );
}

/** Why the viewer shows only the file's name. */
function Reason({ view, isBroken }: { view: ContentKind; isBroken: boolean }) {
  if (isBroken) {
    return (
      <Note>
        <Trans>This browser can’t show this file. Download it to open it elsewhere.</Trans>
      </Note>
    );
  }
  if (view !== 'pdf') return null;
  return (
    <Note>
      <Trans>
        A PDF can hold scripts and links that tell on whoever reads it, so it is not shown here. Download it and open it
        in a reader that you trust.
      </Trans>
    </Note>
  );
}

/** The still, as large as the file's own picture will be, while that is on its way. */
function Coming({ file, src }: { file: FileItem; src: string }) {
  const { phase, percent } = file;
  return (
    <>
      <img
        src={src}
        alt={file.name}
        className="pointer-events-none absolute inset-2 size-[calc(100%-1rem)] object-contain sm:inset-4 sm:size-[calc(100%-2rem)]"
      />
      {phase !== 'none' && (
        <div className="absolute inset-x-0 bottom-4 mx-auto w-64 max-w-[80%] rounded-control bg-surface px-3 py-2 shadow-pop">
          <p className="mb-1.5 text-center text-xs text-muted tabular" aria-hidden="true">
            {phaseText(phase, percent)}
          </p>
          <StitchBar value={percent} label={phaseLabel(phase, file.name)} />
        </div>
      )}
    </>
  );
}

interface ViewerContentProps {
  file: FileItem;
  zoom: RefObject<ReactZoomPanPinchRef | null>;
  /** Fetches and opens the file. */
  onOpen: () => void;
  onScale: (scale: number) => void;
  onSize: (size: MediaSize) => void;
}

const Waiting = () => (
  <div className="grid size-full place-items-center text-subtle">
    <Dots />
  </div>
);

/** The viewer's content. Types that the browser can't draw show name, size and type. */
export function ViewerContent({ file, zoom, onOpen, onScale, onSize }: ViewerContentProps) {
  const [broken, setBroken] = useState<FileItem['opened']>(null);
  const stillUrl = useWantedStill(file.still, 'large');
  const read = useRangeReader(file);
  const { opened } = file;
  const src = opened?.objectUrl ?? '';
  const isBroken = broken !== null && broken === opened;
  const view = isBroken ? 'default' : viewOf(file);
  const opensItself = openingWay(file.name, file.type) === 'itself';
  if (opened === null && stillUrl !== null && !opensItself) return <Coming file={file} src={stillUrl} />;
  const onError = () => {
    // §8: image and video load errors are only logged.
    console.warn('This browser could not show the file.');
    setBroken(opened);
  };
  if (view === 'image') {
    const handlers = { zoom, onScale, onSize, onError };
    return <ZoomImage key={file.id} src={src} name={file.name} {...handlers} />;
  }
  if (view === 'video') {
    return <Film key={file.id} file={file} src={src} poster={stillUrl} onError={onError} onSize={onSize} />;
  }
  const Content = CONTENTS[view];
  if (Content) {
    return (
      <Suspense fallback={<Waiting />}>
        <Content key={file.id} {...{ file, opened, read, onOpen, onSize }} onFailed={onError} />
      </Suspense>
    );
  }
  return (
    <Panel file={file} stillUrl={stillUrl}>
      {view === 'audio' && (
        // biome-ignore lint/a11y/useMediaCaption: people's own files come without captions
        <audio
          key={file.id}
          src={src}
          aria-label={file.name}
          controls
          preload="metadata"
          onError={onError}
          className="mt-4 w-full"
        />
      )}
      <Reason view={view} isBroken={isBroken} />
    </Panel>
  );
}
