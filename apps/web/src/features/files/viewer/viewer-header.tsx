import { Trans, useLingui } from '@lingui/react/macro';
import { Download, Trash2, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Button, IconButton } from '../../../ui/base/button.tsx';
import { CutName } from '../../../ui/cut-name.tsx';
import { FactsButton } from './file-facts.tsx';
import type { MediaSize } from './viewer-view.ts';

interface ViewerHeaderProps {
  file: FileItem;
  place: string;
  size: MediaSize | null;
  onDownload: (id: string) => void;
  /** Owner only. */
  onAskRemove: (() => void) | null;
  /** The zoom's buttons. */
  children: ReactNode;
}

export function ViewerHeader({ file, place, size, onDownload, onAskRemove, children }: ViewerHeaderProps) {
  const { t } = useLingui();
  const [widthPx, heightPx] = size ?? [0, 0];
  return (
    <header className="flex min-h-14 items-center gap-2 px-3 sm:gap-3 sm:px-4">
      <div className="min-w-0 flex-1">
        {/* Of a cut name, a screen reader would hear two words. */}
        <Dialog.Title aria-label={file.name} className="text-sm font-semibold">
          <CutName name={file.name} />
        </Dialog.Title>
        <p className="truncate text-xs text-muted tabular">
          {place} <span aria-hidden="true">·</span> {bytes(file.sizeBytes)}
          {widthPx > 0 && (
            <span className="max-sm:hidden">
              {' '}
              <span aria-hidden="true">·</span> {widthPx} × {heightPx}
            </span>
          )}
          {file.directory !== '' && (
            <>
              {' '}
              <span aria-hidden="true">·</span> <span title={file.directory}>{file.directory}</span>
            </>
          )}
        </p>
      </div>
      {children}
      <FactsButton file={file} size={size} />
      {onAskRemove && (
        <IconButton label={t`Delete file`} tone="dangerSoft" onClick={onAskRemove} className="max-sm:size-10">
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
      <Button tone="primary" onClick={() => onDownload(file.id)} className="max-sm:size-10 max-sm:px-0">
        <Download size={16} aria-hidden />
        <span className="max-sm:sr-only">
          <Trans>Download</Trans>
        </span>
      </Button>
      <Dialog.Close asChild>
        <Button tone="quiet" className="max-sm:size-10 max-sm:px-0">
          <X size={16} aria-hidden />
          <span className="max-sm:sr-only">
            <Trans>Close</Trans>
          </span>
        </Button>
      </Dialog.Close>
    </header>
  );
}
