import type { FileItem } from '../../../engine/files/file-model.ts';
import { Dots } from '../../../ui/base/button.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { phaseLabel, phaseText } from '../grid/card-model.ts';

function Progress({ file: { phase, percent, name } }: { file: FileItem }) {
  if (phase === 'none') return <Dots />;
  return (
    <div className="w-64 max-w-[80vw] rounded-control bg-surface px-3 py-2 shadow-pop">
      <p className="mb-1.5 text-center text-xs text-muted tabular" aria-hidden="true">
        {phaseText(phase, percent)}
      </p>
      <StitchBar value={percent} label={phaseLabel(phase, name)} />
    </div>
  );
}

/** A file on its way: its still, as large as its own picture will be, or its kind. */
export function Coming({ file, stillUrl }: { file: FileItem; stillUrl: string | null }) {
  if (stillUrl === null) {
    return (
      <div className="grid size-full place-content-center justify-items-center gap-5 text-subtle">
        <FileIcon kind={file.kind} sizePx={56} />
        <Progress file={file} />
      </div>
    );
  }
  return (
    <>
      <img src={stillUrl} alt={file.name} className="pointer-events-none fitted" />
      <div className="absolute inset-x-0 bottom-4 grid justify-items-center">
        <Progress file={file} />
      </div>
    </>
  );
}
