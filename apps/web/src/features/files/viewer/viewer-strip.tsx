import { useLingui } from '@lingui/react/macro';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { useEffect, useRef } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { pictureText, thumbnailOf } from '../grid/card-model.ts';
import { useKnownStill } from '../use-still.ts';

interface ViewerStripProps {
  file: FileItem;
  files: readonly FileItem[];
  onMove: (id: string) => void;
}

/** An existing thumbnail, else the picture itself: a strip of hundreds must not create all thumbnails. */
function StripPicture({ file }: { file: FileItem }) {
  const { t } = useLingui();
  const thumbnail = thumbnailOf(file, AUTO_OPEN_BYTES);
  const source = thumbnail?.tag === 'still' ? thumbnail.source : null;
  const still = useKnownStill(source?.src ?? null);
  const picture = source?.kind === 'picture' ? source.src : null;
  const src = thumbnail?.tag === 'img' ? thumbnail.src : (still?.url ?? picture);
  if (!src) return <span className="font-mono text-2xs">{pictureText(file.name, t)}</span>;
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
  return (
    <nav aria-label={t`Files`} ref={strip} className="flex gap-2 overflow-x-auto px-3 py-3 sm:justify-center-safe">
      {files.map((other) => (
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
