import { Trans } from '@lingui/react/macro';
import { Lock, LockOpen } from 'lucide-react';
import { settings } from '../../lib/base/settings.ts';
import { hoursText } from '../../lib/texts/amounts.ts';
import { Avatar } from '../../ui/base/avatar.tsx';
import { Cipher } from '../../ui/base/cipher.tsx';
import { Mark } from '../../ui/base/mark.tsx';
import { StitchRing } from '../../ui/base/stitch.tsx';
import { AppTag } from './app-tag.tsx';

const tiles = [
  { art: 'dusk', open: true },
  { art: 'planet', open: true },
  { art: 'isle', open: true },
  { art: 'dungeon', open: true },
  { art: 'city', open: false },
  { art: 'aurora', open: true },
];

function Chat() {
  const lifetime = hoursText(settings.folder_lifetime_hours);
  return (
    <div className="card mr-10 p-4 pb-24 sm:mr-32 sm:p-5 sm:pb-28">
      <p className="border-b border-line pb-3 text-2xs text-subtle">
        <Trans># raid-planning</Trans>
      </p>
      <div className="mt-4 flex gap-3">
        <Avatar name="Mika" sizePx={36} />
        <p className="text-sm">
          <b translate="no" className="font-semibold">
            Mika
          </b>{' '}
          <span className="ml-1 text-2xs text-subtle">21:04</span>
          <br />
          <code className="mt-1 inline-block rounded-chip bg-accent-soft px-1.5 py-0.5 font-mono text-xs text-accent-text">
            /upload
          </code>
        </p>
      </div>
      <div className="mt-4 flex gap-3">
        <span className="grid size-9 shrink-0 place-items-center rounded-full bg-raised">
          <Mark sizePx={22} />
        </span>
        <div className="text-sm">
          <b className="font-semibold">Satchel</b> <AppTag />
          <p className="mt-0.5 text-muted">
            <Trans>Your folder is open for {lifetime}.</Trans>
          </p>
        </div>
      </div>
    </div>
  );
}

function Tile({ art, open, delayMs }: { art: string; open: boolean; delayMs: number }) {
  const Icon = open ? LockOpen : Lock;
  return (
    <div className="relative aspect-4/3 overflow-hidden rounded-control bg-sunken">
      {open && <img src={`/media/${art}.webp`} alt="" className="size-full object-cover" width={160} height={120} />}
      <div
        style={open ? { animationDelay: `${delayMs}ms` } : {}}
        className={open ? 'absolute inset-0 animate-unseal' : 'absolute inset-0'}
      >
        <Cipher seed={art} chars={260} />
      </div>
      <span
        className={`absolute bottom-1.5 left-1.5 grid size-5 place-items-center rounded-chip ${open ? 'bg-success-soft text-success' : 'bg-info-soft text-info'}`}
      >
        <Icon size={11} />
      </span>
    </div>
  );
}

/** The product in one picture: a chat command becomes a folder that decrypts itself. */
export function HeroScene() {
  return (
    <div className="relative mx-auto w-full max-w-[560px]">
      <p className="sr-only">
        <Trans>
          Example: Mika types /upload in a Discord channel. Satchel answers with a folder named Saturday raid. Its
          pictures decrypt in the browser, and a ring shows how much of its time is left.
        </Trans>
      </p>
      <div aria-hidden="true">
        <Chat />
        <div className="relative z-10 panel -mt-20 ml-4 rounded-panel bg-raised p-4 shadow-dialog sm:ml-14 sm:p-5">
          <div className="flex items-center gap-3">
            <div className="min-w-0 flex-1">
              <p className="display text-lg">
                <Trans>Saturday raid</Trans>
              </p>
              <p translate="no" className="truncate font-mono text-2xs text-subtle">
                /f/Yt3kQ9vX…#k=
              </p>
            </div>
            <div className="text-right">
              <p className="tabular text-xs font-medium">{hoursText(settings.folder_lifetime_hours)}</p>
              <p className="text-2xs text-subtle">
                <Trans>until it’s gone</Trans>
              </p>
            </div>
            <StitchRing fraction={0.985} sizePx={46} />
          </div>
          <div className="mt-4 grid grid-cols-3 gap-2">
            {tiles.map(({ art, open }, position) => (
              <Tile key={art} art={art} open={open} delayMs={500 + position * 160} />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
