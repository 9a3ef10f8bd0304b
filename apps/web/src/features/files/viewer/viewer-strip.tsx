import { useLingui } from '@lingui/react/macro';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { useEffect, useRef } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { pictureText, thumbnailOf } from '../grid/card-model.ts';
import { useIsNear, useWantedStill } from '../use-file-still.ts';
import { useKnownStill } from '../use-still.ts';

interface ViewerStripProps {
  file: FileItem;
  files: readonly FileItem[];
  onMove: (id: string) => void;
}

/** A folder of thousands would make a strip of as many: it shows the files around the one that is looked at. */
const AROUND = 60;

/** Its still, an existing thumbnail, else the picture itself: a strip of hundreds must not create all thumbnails. */
function StripPicture({ file }: { file: FileItem }) {
  const { t } = useLingui();
  const place = useRef<HTMLSpanElement>(null);
  const isNear = useIsNear(place);
  const stillUrl = useWantedStill(file.still, 'small', isNear);
  const thumbnail = thumbnailOf(file, AUTO_OPEN_BYTES);
  const source = thumbnail?.tag === 'still' ? thumbnail.source : null;
  const still = useKnownStill(source?.src ?? null);
  const picture = source?.kind === 'picture' ? source.src : null;
  const drawn = thumbnail?.tag === 'img' ? thumbnail.src : (still?.url ?? picture);
  const src = file.still ? stillUrl : drawn;
  return (
    <span ref={place} className="grid size-full place-items-center">
      {src ? <StripImage src={src} /> : <span className="font-mono text-2xs">{pictureText(file.name, t)}</span>}
    </span>
  );
}

function StripImage({ src }: { src: string }) {
  return (
    <img
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      className="size-full object-cover opacity-60 transition-opacity group-hover:opacity-100 group-aria-[current]:opacity-100"
    />
  );
}

/** The other viewable files. */
export function ViewerStrip({ file, files, onMove }: ViewerStripProps) {
  const { t } = useLingui();
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = strip.current?.querySelector(`[data-strip="${CSS.escape(file.id)}"]`);
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [file.id]);
  const at = files.findIndex(({ id }) => id === file.id);
  const shown = files.slice(Math.max(0, at - AROUND), at + AROUND + 1);
  return (
    <nav aria-label={t`Files`} ref={strip} className="flex gap-2 overflow-x-auto px-3 py-3 sm:justify-center-safe">
      {shown.map((other) => (
        <button
          key={other.id}
          type="button"
          data-strip={other.id}
          aria-label={other.name}
          aria-current={other.id === file.id || undefined}
          onClick={() => onMove(other.id)}
          className="group relative h-12 w-16 shrink-0 overflow-hidden rounded-chip bg-raised text-muted aria-[current]:outline-2 aria-[current]:outline-offset-1 aria-[current]:outline-graph"
        >
          <StripPicture file={other} />
        </button>
      ))}
    </nav>
  );
}
