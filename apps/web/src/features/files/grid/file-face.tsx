import { Trans, useLingui } from '@lingui/react/macro';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import { CircleAlert, FileQuestionMark, KeyRound } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import type { DrawingSource } from '../../../engine/files/weigh-drawing.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { savesData } from '../../../lib/browser/line.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { importWithTexts } from '../../../lib/texts/import-with-texts.ts';
import { Cipher } from '../../../ui/base/cipher.tsx';
import { FileIcon } from '../../../ui/file-icon.tsx';
import { Badge, KeyBadge } from '../../../ui/states/badge.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { PICTURE_LOOK, phaseLabel, pictureText, thumbnailOf } from './card-model.ts';
import { useDrawing } from './use-drawing.ts';

const CIPHER_CHARS = 520;

/** Pictures of large images and of videos, stills, and first lines: a folder without them needs none of this code. */
export const loadStills = () => importWithTexts('folder', () => import('./still-picture.tsx'));
const StillPicture = lazy(async () => ({ default: (await loadStills()).StillPicture }));
const StillFace = lazy(async () => ({ default: (await loadStills()).StillFace }));
const BrokenPicture = lazy(async () => ({ default: (await loadStills()).BrokenPicture }));
const TextFace = lazy(async () => ({ default: (await loadStills()).TextFace }));

function Picture({ src }: { src: string }) {
  const [broken, setBroken] = useState<string | null>(null);
  const onError = () => {
    // Image and video load errors are only logged, by their code.
    console.warn('A thumbnail could not be shown.');
    setBroken(src);
  };
  if (broken === src) {
    return (
      <Suspense>
        <BrokenPicture />
      </Suspense>
    );
  }
  return <img src={src} alt="" loading="lazy" decoding="async" onError={onError} className={PICTURE_LOOK} />;
}

const DrawnPicture = ({ source }: { source: DrawingSource }) =>
  useDrawing(source) === 'light' ? <Picture src={source.src} /> : null;

function Placeholder({ file }: { file: FileItem }) {
  const { t } = useLingui();
  return (
    <span
      // Above the line that says that it can't be shown: on a phone's card there is no room between them.
      className="absolute inset-0 grid place-content-center justify-items-center gap-2 text-subtle group-has-data-broken/face:bottom-9"
      aria-hidden="true"
    >
      <FileIcon kind={file.kind} sizePx={34} />
      <span className="font-mono text-2xs">{pictureText(file.name, t)}</span>
    </span>
  );
}

function Progress({ file }: { file: FileItem }) {
  const { phase } = file;
  if (phase === 'none') return null;
  return (
    <StitchBar
      value={file.percent}
      tone={phase === 'downloading' ? 'info' : 'accent'}
      label={phaseLabel(phase, file.name)}
      className="absolute inset-x-2.5 bottom-2.5 rounded-full bg-sunken px-1 py-0.5"
    />
  );
}

function SealedFace({ file }: { file: FileItem }) {
  const { phase } = file;
  return (
    <>
      <Cipher seed={file.id} chars={CIPHER_CHARS} />
      {phase === 'none' && !file.error && (
        <span className="absolute inset-0 grid place-items-center" aria-hidden="true">
          <span
            className={cx(
              'grid size-11 place-items-center rounded-full bg-surface',
              file.badge === 'none' ? 'text-warning' : 'text-muted',
            )}
          >
            {file.badge === 'none' ? (
              <KeyRound size={20} strokeWidth={1.75} />
            ) : (
              <FileIcon kind={file.kind} sizePx={20} />
            )}
          </span>
        </span>
      )}
      <Progress file={file} />
    </>
  );
}

/** A foreign file has no bytes, kind or picture: nothing about it is authenticated. */
const ForeignFace = ({ textId }: { textId: string }) => (
  <span className="absolute inset-2.5 grid place-content-center justify-items-center gap-2 rounded-control border border-edge border-dashed p-2 text-center text-muted">
    <FileQuestionMark size={22} strokeWidth={1.75} aria-hidden />
    <span id={textId} className="text-2xs">
      <Trans>Not from this folder</Trans>
    </span>
  </span>
);

const ErrorLine = ({ id, children }: { id: string; children: ReactNode }) => (
  <p
    id={id}
    className="absolute inset-x-2 bottom-2 z-[6] flex gap-1.5 rounded-chip bg-danger-soft px-2 py-1.5 text-2xs text-danger wrap-anywhere"
  >
    {children}
  </p>
);

/** The bytes animate away once, when the file is opened. */
function usePeel(isSealed: boolean): boolean {
  const [wasSealed, setWasSealed] = useState(isSealed);
  const [peels, setPeels] = useState(false);
  if (wasSealed !== isSealed) {
    setWasSealed(isSealed);
    setPeels(!isSealed);
  }
  return peels;
}

function OpenFace({ file }: { file: FileItem }) {
  const thumbnail = thumbnailOf(file, savesData() ? 0 : AUTO_OPEN_BYTES);
  return (
    <>
      <Placeholder file={file} />
      {file.opened?.type === 'text/plain' && (
        <Suspense>
          <TextFace opened={file.opened} />
        </Suspense>
      )}
      {thumbnail && (
        <span className="absolute inset-0 block">
          {thumbnail.tag === 'img' && <Picture src={thumbnail.src} />}
          {thumbnail.tag === 'drawing' && <DrawnPicture source={thumbnail.source} />}
          {thumbnail.tag === 'still' && (
            <Suspense>
              <StillPicture source={thumbnail.source} />
            </Suspense>
          )}
        </span>
      )}
    </>
  );
}

/** Its still lies over what is shown of a file without one. */
function Face({ file, isSealed }: { file: FileItem; isSealed: boolean }) {
  return (
    <>
      {isSealed ? <SealedFace file={file} /> : file.still ? <Placeholder file={file} /> : <OpenFace file={file} />}
      {file.still && (
        <Suspense>
          <StillFace file={file} still={file.still} />
        </Suspense>
      )}
      {!isSealed && <Progress file={file} />}
    </>
  );
}

/** The card's face: bytes while sealed, picture or kind once there is a still or it is open; nothing for a foreign file. */
export function FileFace({ file, errorId }: { file: FileItem; errorId: string }) {
  const isForeign = file.badge === 'foreign';
  const isSealed = file.encrypted && file.badge !== 'cached' && !file.still?.url;
  const peels = usePeel(isSealed);
  return (
    <div className="group/face relative aspect-4/3 overflow-hidden bg-sunken">
      {isForeign ? <ForeignFace textId={errorId} /> : <Face file={file} isSealed={isSealed} />}
      {file.error && <ErrorLine id={errorId}>{errorText(file.error)}</ErrorLine>}
      {peels && <Cipher seed={file.id} chars={CIPHER_CHARS} leaving />}
      {!isForeign && (file.error || file.badge === 'none') && (
        <span id={file.error ? undefined : errorId} className="absolute top-2 left-2">
          {file.error ? (
            <Badge tone="danger" icon={<CircleAlert size={13} aria-hidden />}>
              <Trans>Failed</Trans>
            </Badge>
          ) : (
            <KeyBadge state="none" />
          )}
        </span>
      )}
    </div>
  );
}
