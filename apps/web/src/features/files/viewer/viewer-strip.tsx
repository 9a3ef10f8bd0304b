import { useLingui } from '@lingui/react/macro';
import { joinPath } from '@satchel/contract/files/path-parts';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { ImageOff } from 'lucide-react';
import { useEffect, useLayoutEffect, useState } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { useWidth } from '../../../lib/browser/hooks.ts';
import { pictureText, thumbnailOf } from '../grid/card-model.ts';
import { useDrawing } from '../grid/use-drawing.ts';
import { useWantedStill } from '../use-file-still.ts';
import { useKnownStill } from '../use-still.ts';

interface ViewerStripProps {
  file: FileItem;
  files: readonly FileItem[];
  onMove: (id: string) => void;
}

/** The width of one file with the gap after it: w-16 and gap-2. */
const STEP_PX = 72;
/** Files that are drawn beside the visible ones. */
const SPARE = 8;

/** The picture of a file as far as it is here: a strip of hundreds must not create all thumbnails. */
function useStripPicture(file: FileItem): string | null {
  const stillUrl = useWantedStill(file.still, 'small');
  const thumbnail = thumbnailOf(file, AUTO_OPEN_BYTES);
  const source = thumbnail?.tag === 'still' ? thumbnail.source : null;
  const still = useKnownStill(source?.src ?? null);
  const drawing = thumbnail?.tag === 'drawing' ? thumbnail.source : null;
  const weight = useDrawing(drawing);
  if (file.still) return stillUrl;
  if (drawing) return weight === 'light' ? drawing.src : null;
  if (thumbnail?.tag === 'img') return thumbnail.src;
  return still?.url ?? (source?.kind === 'picture' ? source.src : null);
}

interface StripFileProps {
  file: FileItem;
  isCurrent: boolean;
  onMove: (id: string) => void;
}

function StripFile({ file, isCurrent, onMove }: StripFileProps) {
  const { t } = useLingui();
  const { id } = file;
  const name = joinPath(file.directory, file.name);
  const src = useStripPicture(file);
  const [broken, setBroken] = useState<string | null>(null);
  const isBroken = src !== null && broken === src;
  return (
    <button
      type="button"
      data-strip={id}
      aria-label={isBroken ? t`${name}, can’t be shown` : name}
      title={name}
      aria-current={isCurrent || undefined}
      // One stop of the Tab key: the arrows lead to the others.
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onMove(id)}
      className="group relative grid h-12 w-16 shrink-0 place-items-center overflow-hidden rounded-chip border border-line bg-raised text-muted aria-[current]:outline-2 aria-[current]:outline-offset-1 aria-[current]:outline-graph"
    >
      {src !== null && !isBroken ? (
        <img
          src={src}
          alt=""
          decoding="async"
          onError={() => setBroken(src)}
          className="size-full object-cover opacity-60 transition-opacity group-hover:opacity-100 group-aria-[current]:opacity-100"
        />
      ) : isBroken ? (
        <ImageOff size={17} strokeWidth={1.75} aria-hidden />
      ) : (
        <span className="font-mono text-2xs">{pictureText(name, t)}</span>
      )}
    </button>
  );
}

/** Which files are in sight, and some beside them. */
function useSight(count: number) {
  const [strip, widthPx] = useWidth<HTMLElement>();
  const [leftPx, setLeftPx] = useState(0);
  const first = Math.max(0, Math.floor(leftPx / STEP_PX) - SPARE);
  const end = Math.min(count, Math.ceil((leftPx + widthPx) / STEP_PX) + SPARE);
  return { strip, widthPx, first, end, onScroll: () => setLeftPx(strip.current?.scrollLeft ?? 0) };
}

/** All files that the viewer leads to. Of a folder of thousands the visible ones are drawn. */
export function ViewerStrip({ file, files, onMove }: ViewerStripProps) {
  const { t } = useLingui();
  const { strip, widthPx, first, end, onScroll } = useSight(files.length);
  const at = files.findIndex(({ id }) => id === file.id);
  useLayoutEffect(() => {
    const center = () => strip.current?.scrollTo({ left: at * STEP_PX - (widthPx - STEP_PX) / 2 });
    center();
    // A window that is wider for a moment moves the strip. Its old width is back before an observer of sizes runs.
    window.addEventListener('resize', center);
    return () => window.removeEventListener('resize', center);
  }, [strip, widthPx, at]);
  // A move that began in the strip leaves the focus in it.
  useEffect(() => {
    if (!strip.current?.contains(document.activeElement)) return;
    strip.current.querySelector<HTMLElement>(`[data-strip="${CSS.escape(file.id)}"]`)?.focus({ preventScroll: true });
  }, [strip, file.id]);
  return (
    <nav aria-label={t`Files`} ref={strip} onScroll={onScroll} className="overflow-x-auto px-3 py-3">
      <div className="mx-auto flex gap-2" style={{ width: files.length * STEP_PX, paddingLeft: first * STEP_PX }}>
        {files.slice(first, end).map((other) => (
          <StripFile key={other.id} file={other} isCurrent={other.id === file.id} onMove={onMove} />
        ))}
      </div>
    </nav>
  );
}
