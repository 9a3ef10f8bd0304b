import { useState } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { useStill } from '../use-still.ts';
import type { MediaSize } from './viewer-view.ts';

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

export function Film({ file, src, poster, onError, onSize, onSoundOnly }: FilmProps) {
  const drawn = useStill({ kind: 'film', src });
  const still = drawn?.url ?? poster;
  const [size, setSize] = useState<MediaSize | null>(null);
  return (
    <video
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
  );
}
