import { type RefObject, useState } from 'react';
import type { ReactZoomPanPinchRef } from 'react-zoom-pan-pinch';
import { bytes } from '../../lib/format.ts';
import { extensionText } from './card-model.ts';
import { FileIcon } from './file-icon.tsx';
import type { FileItem } from './file-model.ts';
import { ZoomImage } from './zoom-image.tsx';

export type View = 'image' | 'video' | 'audio' | 'default';

/** How an opened file is shown: by its safe render type alone, never by what its name claims (CONTAINER §1). */
export function viewOf({ opened }: Pick<FileItem, 'opened'>): View {
  if (!opened?.objectUrl) return 'default';
  const [family] = opened.type.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'default';
}

function Panel({ file, children }: { file: FileItem; children?: React.ReactNode }) {
  const facts = [
    ['Name', file.name],
    ['Size', bytes(file.sizeBytes)],
    ['Type', file.type || 'Unknown type'],
  ] as const;
  return (
    <div className="grid size-full place-items-center overflow-y-auto p-6">
      <div className="card w-full max-w-sm p-6">
        <span className="grid h-36 place-content-center justify-items-center gap-2 rounded-control bg-sunken text-subtle">
          <FileIcon kind={file.kind} sizePx={44} />
          <span className="font-mono text-xs">{extensionText(file.name)}</span>
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

interface ViewerContentProps {
  file: FileItem;
  zoom: RefObject<ReactZoomPanPinchRef | null>;
  onScale: (scale: number) => void;
}

/** What the viewer shows of a file. What the browser can't draw is shown by name, size and type. */
export function ViewerContent({ file, zoom, onScale }: ViewerContentProps) {
  const [broken, setBroken] = useState<string | null>(null);
  const src = file.opened?.objectUrl ?? '';
  const view = broken === src ? 'default' : viewOf(file);
  const onError = () => {
    // §8: image and video load errors are only logged.
    console.warn('This browser could not show the file.');
    setBroken(src);
  };
  if (view === 'image') {
    return <ZoomImage key={file.id} src={src} name={file.name} zoom={zoom} onScale={onScale} onError={onError} />;
  }
  if (view === 'video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: people's own files come without captions
      <video
        key={file.id}
        src={src}
        aria-label={file.name}
        controls
        playsInline
        preload="metadata"
        onError={onError}
        className="absolute inset-2 size-[calc(100%-1rem)] rounded-control object-contain sm:inset-4 sm:size-[calc(100%-2rem)]"
      />
    );
  }
  return (
    <Panel file={file}>
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
      {broken === src && src !== '' && (
        <p className="mt-4 text-sm text-muted">This browser can’t show this file. Download it to open it elsewhere.</p>
      )}
    </Panel>
  );
}
