import { useLingui } from '@lingui/react/macro';
import type { RangeReader } from '@satchel/client/open/read-range';
import { Music } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { AudioTags } from '../../../engine/files/content/audio-tags.ts';
import { openContent } from '../../../engine/files/content/content-client.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { whileCurrent } from '../../../lib/browser/while-current.ts';
import { PlayerStandstill } from './standstill.tsx';

/** What the sound's own tags say of it. Without any, its name is enough. */
function useAudioTags(read: RangeReader, sizeBytes: number): AudioTags | null {
  const [tags, setTags] = useState<AudioTags | null>(null);
  useEffect(() => {
    setTags(null);
    const content = openContent(read);
    const stop = whileCurrent(content.ask('tags', { sizeBytes }), setTags, () => {});
    return () => {
      stop();
      content.end();
    };
  }, [read, sizeBytes]);
  return tags;
}

/** An address of the picture for as long as it is shown. */
function usePictureUrl(picture: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (picture === null) return setUrl(null);
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return url;
}

interface AudioPlayerProps {
  file: FileItem;
  src: string;
  read: RangeReader;
  onError: () => void;
}

/** A sound with the cover, title and artist of its tags. */
export function AudioPlayer({ file, src, read, onError }: AudioPlayerProps) {
  const { t } = useLingui();
  const tags = useAudioTags(read, file.sizeBytes);
  const coverUrl = usePictureUrl(tags?.cover ?? null);
  const [broken, setBroken] = useState<string | null>(null);
  const player = useRef<HTMLAudioElement>(null);
  const by = [tags?.artist, tags?.album].filter(Boolean).join(' · ');
  const name = tags?.title || file.name;
  return (
    <div className="grid size-full place-content-center justify-items-center gap-6 overflow-y-auto p-6">
      <div className="grid aspect-square w-[min(20rem,70vw,45dvh)] place-items-center overflow-hidden rounded-card bg-raised text-subtle shadow-card">
        {coverUrl !== null && broken !== coverUrl ? (
          <img
            src={coverUrl}
            alt={t`Cover of ${name}`}
            onError={() => setBroken(coverUrl)}
            className="size-full object-cover"
          />
        ) : (
          <Music size={72} strokeWidth={1} aria-hidden />
        )}
      </div>
      <div className="grid max-w-[min(32rem,85vw)] gap-1 text-center">
        <p className="font-semibold wrap-anywhere">{name}</p>
        {by && <p className="text-sm text-muted wrap-anywhere">{by}</p>}
      </div>
      {/* biome-ignore lint/a11y/useMediaCaption: people's own files come without captions */}
      <audio
        ref={player}
        src={src}
        aria-label={file.name}
        controls
        preload="metadata"
        onError={onError}
        className="w-[min(32rem,85vw)]"
      />
      <PlayerStandstill player={player} src={src} />
    </div>
  );
}
