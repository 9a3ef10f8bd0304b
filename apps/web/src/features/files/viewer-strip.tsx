import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { useEffect, useRef } from 'react';
import { extensionText, thumbnailOf } from './card-model.ts';
import type { FileItem } from './file-model.ts';

interface ViewerStripProps {
  file: FileItem;
  files: readonly FileItem[];
  onMove: (id: string) => void;
}

/** The other files that can be looked at. */
export function ViewerStrip({ file, files, onMove }: ViewerStripProps) {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = strip.current?.querySelector(`[data-strip="${CSS.escape(file.id)}"]`);
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [file.id]);
  return (
    <nav aria-label="Files" ref={strip} className="flex gap-2 overflow-x-auto px-3 py-3 sm:justify-center-safe">
      {files.map((other) => {
        const thumbnail = thumbnailOf(other, AUTO_OPEN_BYTES);
        return (
          <button
            key={other.id}
            type="button"
            data-strip={other.id}
            aria-label={other.name}
            aria-current={other.id === file.id || undefined}
            onClick={() => onMove(other.id)}
            className="group relative h-12 w-16 shrink-0 overflow-hidden rounded-chip bg-raised text-muted aria-[current]:outline-2 aria-[current]:outline-offset-1 aria-[current]:outline-graph"
          >
            {thumbnail?.tag === 'img' ? (
              <img
                src={thumbnail.src}
                alt=""
                loading="lazy"
                decoding="async"
                className="size-full object-cover opacity-60 transition-opacity group-hover:opacity-100 group-aria-[current]:opacity-100"
              />
            ) : (
              <span className="font-mono text-2xs">{extensionText(other.name)}</span>
            )}
          </button>
        );
      })}
    </nav>
  );
}
