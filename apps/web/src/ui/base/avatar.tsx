import { useState } from 'react';
import { usePicture } from '../../lib/base/still-picture.ts';
import { seeded } from './seeded.ts';

interface AvatarProps {
  /** Display name; its first letter is the fallback. */
  name: string;
  url?: string | null | undefined;
  sizePx?: number;
}

/** A person's picture, or the uppercase first letter of the display name on its own quiet tint. Decorative. */
export function Avatar({ name, url: movingUrl, sizePx = 28 }: AvatarProps) {
  const url = usePicture(movingUrl);
  const [broken, setBroken] = useState<string | null>(null);
  if (url && broken !== url) {
    return (
      <img
        src={url}
        alt=""
        width={sizePx}
        height={sizePx}
        className="inline-block shrink-0 rounded-full bg-raised object-cover"
        style={{ width: sizePx, height: sizePx }}
        onError={() => setBroken(url)}
      />
    );
  }
  const hue = Math.round(seeded(name)() * 360);
  return (
    <span
      aria-hidden="true"
      className="inline-grid shrink-0 place-items-center rounded-full font-semibold"
      style={{
        width: sizePx,
        height: sizePx,
        fontSize: sizePx * 0.42,
        background: `oklch(0.42 0.09 ${hue})`,
        color: `oklch(0.97 0.02 ${hue})`,
      }}
    >
      {(Array.from(name)[0] ?? 'U').toUpperCase()}
    </span>
  );
}
