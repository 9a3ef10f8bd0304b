import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { notify } from '../../lib/toast.ts';
import { Spot } from '../../ui/spot.tsx';
import { StitchFrame } from '../../ui/stitch.tsx';
import { DROPPED_FILES_MAX, filesOf } from './dropped-files.ts';

interface DropOverlayProps {
  folderName: string;
  /** Whether files are sealed on their way. */
  sealed: boolean;
  onFiles: (files: File[]) => void;
}

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
const TYPING = 'input, textarea, select, [contenteditable]';

/** Drop anywhere, or paste: both go to the same queue (DESIGN-UX §7). */
function useDrops(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const take = useEffectEvent(async (transfer: DataTransfer | null) => {
    if (!transfer) return;
    try {
      const { files, isCut } = await filesOf(transfer);
      if (files.length > 0) onFiles(files);
      if (isCut) notify(`Only the first ${DROPPED_FILES_MAX} files were taken.`, 'error');
    } catch {
      notify('What you dropped could not be read.', 'error');
    }
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const setDepth = (next: number) => {
      depth.current = Math.max(0, next);
      setOver(depth.current > 0);
    };
    window.addEventListener('dragenter', (event) => carriesFiles(event) && setDepth(depth.current + 1), { signal });
    window.addEventListener('dragleave', (event) => carriesFiles(event) && setDepth(depth.current - 1), { signal });
    window.addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault(), { signal });
    window.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setDepth(0);
        void take(event.dataTransfer);
      },
      { signal },
    );
    window.addEventListener(
      'paste',
      (event) => {
        const isTyping = event.target instanceof Element && event.target.closest(TYPING) !== null;
        if (!isTyping) void take(event.clipboardData);
      },
      { signal },
    );
    return () => listening.abort();
  }, []);
  return isOver;
}

export function DropOverlay({ folderName, sealed, onFiles }: DropOverlayProps) {
  const isOver = useDrops(onFiles);
  if (!isOver) return null;
  return (
    <div
      className="pointer-events-none fixed inset-0 z-40 grid place-items-center bg-canvas/95 motion-safe:animate-fade"
      aria-hidden="true"
    >
      <div className="absolute inset-4 rounded-panel bg-accent-soft/60">
        <StitchFrame active radiusPx={18} insetPx={6} />
      </div>
      <div className="relative px-8 text-center">
        <div className="flex justify-center">
          <Spot pose="empty" sizePx={190} />
        </div>
        <p className="display mt-5 text-3xl wrap-anywhere">Drop to pack into {folderName}</p>
        {sealed && (
          <p className="mt-2 text-base text-muted">Files are encrypted here, before they leave your browser.</p>
        )}
      </div>
    </div>
  );
}
