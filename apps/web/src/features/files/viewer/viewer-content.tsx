import { type RefObject, Suspense, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { openingWay } from '../../../engine/files/opening-way.ts';
import { Dots } from '../../../ui/base/button.tsx';
import { useWantedStill } from '../use-file-still.ts';
import { AudioPlayer } from './audio-player.tsx';
import { Coming } from './coming.tsx';
import { CONTENTS } from './content/contents.ts';
import { useRangeReader } from './content/use-range-reader.ts';
import { Film } from './film.tsx';
import { Reason, ViewerPanel } from './viewer-panel.tsx';
import { type MediaSize, viewOf } from './viewer-view.ts';
import { ZoomImage } from './zoom-image.tsx';

interface ViewerContentProps {
  file: FileItem;
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

/** The viewer's content. Types that the browser can't draw show name, size and type. */
export function ViewerContent({ file, zoom, onOpen, onRetry, onScale, onSize, onBroken }: ViewerContentProps) {
  const { opened } = file;
  const [isBroken, setBroken] = useTurnedOut(opened);
  const [isSound, setSound] = useTurnedOut(opened);
  const stillUrl = useWantedStill(file.still, 'large');
  const read = useRangeReader(file);
  const view = isBroken ? 'default' : viewOf(file);
  const Content = CONTENTS[view];
  const opensItself = Content !== undefined && openingWay(file.name, file.type) === 'itself';
  if (opened === null && file.error === null && !opensItself) return <Coming file={file} stillUrl={stillUrl} />;
  const panel = (
    <ViewerPanel file={file} stillUrl={stillUrl}>
      <Reason file={file} isBroken={isBroken} onRetry={onRetry} />
    </ViewerPanel>
  );
  if (opened === null && !(opensItself && file.error === null)) return panel;
  const onError = () => {
    // §8: image and video load errors are only logged.
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
          onSize={onSize}
          onFailed={onError}
        />
      </Suspense>
    );
  }
  const shown = { file, src: opened?.objectUrl ?? '', onError };
  if (view === 'image')
    return <ZoomImage key={file.id} {...shown} name={file.name} zoom={zoom} onScale={onScale} onSize={onSize} />;
  if (view === 'audio' || isSound) return <AudioPlayer key={file.id} {...shown} read={read} />;
  if (view === 'video')
    return <Film key={file.id} {...shown} poster={stillUrl} onSize={onSize} onSoundOnly={setSound} />;
  return panel;
}
