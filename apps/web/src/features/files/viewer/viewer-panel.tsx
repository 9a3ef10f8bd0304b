import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { pictureText } from '../grid/card-model.ts';
import { FileFacts } from './file-facts.tsx';
import { RetryButton } from './standstill.tsx';

interface PanelProps {
  file: FileItem;
  stillUrl: string | null;
  children?: ReactNode;
}

/** What is known of a file that is not shown itself. */
export function ViewerPanel({ file, stillUrl, children }: PanelProps) {
  const { t } = useLingui();
  return (
    <div className="grid size-full place-items-center overflow-y-auto p-6 sm:px-20">
      <div className="card w-full max-w-sm p-6">
        <span className="mb-5 grid h-36 place-content-center justify-items-center gap-2 rounded-control bg-sunken text-subtle">
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
        <FileFacts file={file} size={null} />
      </div>
    </div>
  );
}

interface ReasonProps {
  file: FileItem;
  isBroken: boolean;
  onRetry: () => void;
}

/** Why the viewer shows only the file's facts. */
export function Reason({ file, isBroken, onRetry }: ReasonProps) {
  if (file.error && (isBroken || file.opened === null)) {
    return (
      <div role="alert" className="mb-5 grid justify-items-start gap-3 text-sm text-danger wrap-anywhere">
        {errorText(file.error)}
        <RetryButton onRetry={onRetry} />
      </div>
    );
  }
  const isEmpty = file.sizeBytes === 0;
  if (!isBroken && !isEmpty && file.opened === null) return null;
  return (
    <p className="mb-4 text-sm text-muted">
      {isEmpty ? (
        <Trans>This file is empty.</Trans>
      ) : (
        <Trans>This browser can’t show this file. Download it to open it elsewhere.</Trans>
      )}
    </p>
  );
}
