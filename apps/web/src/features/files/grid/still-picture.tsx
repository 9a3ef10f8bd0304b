import { Trans } from '@lingui/react/macro';
import { ImageOff, Play } from 'lucide-react';
import { useEffect, useReducer, useRef, useState } from 'react';
import { textLines } from '../../../engine/files/content/text-lines.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import type { OpenedFile } from '../../../engine/files/open/open-client.ts';
import { readText } from '../../../engine/files/read-text.ts';
import type { StillSource } from '../../../engine/files/stills/draw-still.ts';
import { knownStills } from '../../../engine/files/stills/known-stills.ts';
import type { FileStill } from '../../../engine/files/stills/still-ref.ts';
import { whileCurrent } from '../../../lib/browser/while-current.ts';
import { useIsNear, useWantedStill } from '../use-file-still.ts';
import { useKnownStill, useStill } from '../use-still.ts';
import { durationText, PICTURE_LOOK, thumbnailOf } from './card-model.ts';

const FilmMark = ({ durationSeconds }: { durationSeconds: number | null }) => (
  <span
    aria-hidden="true"
    className="absolute right-2 bottom-2 inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-chip bg-[oklch(0.15_0.01_290/0.85)] px-1.5 text-2xs text-[oklch(0.98_0_0)] tabular"
  >
    <Play size={11} fill="currentColor" />
    {durationSeconds !== null && durationText(durationSeconds)}
  </span>
);

/** A picture that is damaged, or of a kind that this browser does not show. */
export const BrokenPicture = () => (
  <span
    data-broken
    className="absolute inset-x-2 bottom-2 flex items-center justify-center gap-1.5 rounded-chip bg-surface px-2 py-1.5 text-2xs text-muted"
  >
    <ImageOff size={13} aria-hidden className="shrink-0" />
    <Trans>Can’t be shown</Trans>
  </span>
);

/** A scaled-down picture, or one frame of a video with its duration. */
export function StillPicture({ source }: { source: StillSource }) {
  const still = useStill(source);
  return (
    <>
      {still?.url && <img src={still.url} alt="" decoding="async" className={PICTURE_LOOK} />}
      {source.kind === 'picture' && still?.url === null && <BrokenPicture />}
      {source.kind === 'film' && <FilmMark durationSeconds={still?.durationSeconds ?? null} />}
    </>
  );
}

/** The length of a film whose picture is there already. */
function FilmLength({ source }: { source: StillSource }) {
  return <FilmMark durationSeconds={useStill(source)?.durationSeconds ?? null} />;
}

/** A picture that came without its file, wanted while the card is in view; of a film that is open, with its length. */
export function StillFace({ file, still }: { file: FileItem; still: FileStill }) {
  const place = useRef<HTMLSpanElement>(null);
  useWantedStill(still, 'large', useIsNear(place));
  const [broken, setBroken] = useState<string | null>(null);
  const { ref, url } = still;
  const film = file.kind === 'video' ? thumbnailOf(file, 0) : null;
  const isShown = url !== null && broken !== url;
  const onError = () => {
    // Image and video load errors are only logged, by their code.
    console.warn('A thumbnail could not be shown.');
    setBroken(url);
    if (ref) knownStills.get()?.shelf.refuse(ref.key);
  };
  return (
    <span ref={place} className="absolute inset-0 block">
      {isShown && <img src={url} alt="" decoding="async" onError={onError} className={PICTURE_LOOK} />}
      {film?.tag === 'still' && (isShown ? <FilmLength source={film.source} /> : <StillPicture source={film.source} />)}
      {url !== null && file.kind === 'video' && film === null && <FilmMark durationSeconds={null} />}
    </span>
  );
}

/** The duration for screen readers. */
export function SpokenDuration({ src }: { src: string }) {
  const seconds = useKnownStill(src)?.durationSeconds ?? null;
  if (seconds === null) return null;
  const duration = durationText(seconds);
  return (
    <span className="sr-only">
      . <Trans>Length {duration}</Trans>
    </span>
  );
}

/** What fits on a card. */
const SHOWN_BYTES = 1024;
const SHOWN_LINES = 14;

async function firstLines({ blob, name }: OpenedFile & { blob: Blob }): Promise<string> {
  const read = async () => new Uint8Array(await blob.slice(0, SHOWN_BYTES).arrayBuffer());
  const { text } = await readText(read, { name });
  return textLines(text, { maxLines: SHOWN_LINES }).text;
}

/** Read once: a card that is scrolled away leaves the page, and back again it would show its icon first. */
const known = new WeakMap<Blob, string>();

async function readLines(opened: OpenedFile & { blob: Blob }): Promise<void> {
  known.set(opened.blob, await firstLines(opened).catch(() => ''));
}

/** The first lines of an opened text; what is no text keeps its icon. A screen reader hears the file's name. */
export function TextFace({ opened: { blob, ...opened } }: { opened: OpenedFile }) {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest of an opened file changes with its bytes alone
  useEffect(() => (blob && !known.has(blob) ? whileCurrent(readLines({ ...opened, blob }), draw) : undefined), [blob]);
  const lines = (blob && known.get(blob)) ?? '';
  if (lines.trim() === '') return null;
  return (
    <span
      aria-hidden="true"
      dir="auto"
      className="absolute inset-0 block overflow-hidden bg-sunken px-3 py-3 text-left font-mono text-[0.625rem] leading-snug text-muted whitespace-pre-wrap wrap-anywhere [mask-image:linear-gradient(#000_70%,transparent)]"
    >
      {/* Where a checkbox is always shown (SelectBox), lines go around it. */}
      <span className="float-right -mt-3 -mr-3 hidden size-11 pointer-coarse:block" />
      {lines}
    </span>
  );
}
