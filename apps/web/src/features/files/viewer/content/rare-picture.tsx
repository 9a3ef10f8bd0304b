import { Trans } from '@lingui/react/macro';
import { renderType } from '@satchel/client/open/render-type';
import { useEffect, useState } from 'react';
import { decodesPicture } from '../../../../engine/files/content/decodes-picture.ts';
import { whileCurrent } from '../../../../lib/browser/while-current.ts';
import { bytes } from '../../../../lib/figures/format.ts';
import { Dots } from '../../../../ui/base/button.tsx';
import { StitchBar } from '../../../../ui/states/stitch-bar.tsx';
import { phaseLabel } from '../../grid/card-model.ts';
import { useWantedStill } from '../../use-file-still.ts';
import type { ContentProps } from './content-props.ts';
import { InTheMiddle } from './content-states.tsx';

interface NotHereProps {
  stillUrl: string | null;
  name: string;
  format: string;
  size: string;
}

/** What is said before anything is fetched, with the picture's still where it has one. */
function NotHere({ stillUrl, name, format, size }: NotHereProps) {
  return (
    <InTheMiddle>
      {stillUrl && <img src={stillUrl} alt={name} className="mx-auto mb-4 max-h-[50dvh] max-w-full rounded-control" />}
      <p className="card p-4 text-muted">
        <Trans>
          This browser can’t show {format} pictures, so the file was not loaded. Download it ({size}) to open it
          elsewhere.
        </Trans>
      </p>
    </InTheMiddle>
  );
}

/** A photograph in a format that not every browser decodes: it is fetched only where it can be shown. */
export function RarePicture({ file, opened, onOpen, onFailed, onSize }: ContentProps) {
  const [decodes, setDecodes] = useState<boolean | null>(null);
  const type = renderType(file.name, file.type);
  const stillUrl = useWantedStill(file.still, 'large');
  useEffect(() => whileCurrent(decodesPicture(type), setDecodes), [type]);
  const isWanted = decodes === true && opened === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once
  useEffect(() => {
    if (isWanted) onOpen();
  }, [isWanted]);
  const isWasted = decodes === false && opened !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once
  useEffect(() => {
    if (isWasted) onFailed();
  }, [isWasted]);
  if (decodes === false && opened === null)
    return (
      <NotHere
        stillUrl={stillUrl}
        name={file.name}
        format={type === 'image/avif' ? 'AVIF' : 'HEIC'}
        size={bytes(file.sizeBytes)}
      />
    );
  if (decodes && opened?.objectUrl) {
    return (
      <img
        src={opened.objectUrl}
        alt={file.name}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onSize([naturalWidth, naturalHeight])}
        onError={onFailed}
        className="fitted"
      />
    );
  }
  return (
    <InTheMiddle>
      {stillUrl && <img src={stillUrl} alt={file.name} className="fitted" />}
      {file.phase === 'none' ? <Dots /> : <StitchBar value={file.percent} label={phaseLabel(file.phase, file.name)} />}
    </InTheMiddle>
  );
}
