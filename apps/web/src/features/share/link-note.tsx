import { Trans } from '@lingui/react/macro';
import type { Role } from '@satchel/contract/roles';
import { KeyRound, LinkIcon, ServerCog, Unlink, UserCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LinkMeaning } from './link-state.ts';

const tones = { accent: 'bg-accent-soft', warning: 'bg-warning-soft', neutral: 'bg-sunken' } as const;
const inks = { accent: 'text-accent-text', warning: 'text-warning', neutral: 'text-subtle' } as const;

interface NoteProps {
  tone: keyof typeof tones;
  Icon: typeof KeyRound;
  children: ReactNode;
}

const Note = ({ tone, Icon, children }: NoteProps) => (
  <div className={`flex gap-3 rounded-control p-3.5 text-xs text-muted ${tones[tone]}`}>
    <Icon size={17} aria-hidden className={`mt-px shrink-0 ${inks[tone]}`} />
    <div className="grid gap-1.5">{children}</div>
  </div>
);

const Strong = ({ children }: { children?: ReactNode }) => <b className="font-semibold text-ink">{children}</b>;

/** The owner's device has no key; the device that created the folder has it (CONTAINER §3). */
const NoKeyOwner = () => (
  <Note tone="warning" Icon={KeyRound}>
    <p>
      <Trans>
        <Strong>This device doesn’t have the key.</Strong> So it can’t copy the full link: the one above shows the
        folder, but opens none of its files.
      </Trans>
    </p>
    <p>
      <Trans>
        To get it here, open Share on a device that has the key, and scan the QR code there with this one. Or open the
        full link here, with the part after the # sign.
      </Trans>
    </p>
  </Note>
);

const NoKeyGuest = () => (
  <Note tone="warning" Icon={KeyRound}>
    <p>
      <Trans>
        <Strong>Your link has no key.</Strong> Whoever gets it from you sees the files as “No Key”, as you do. Ask the
        owner for the full link, with the part after the # sign.
      </Trans>
    </p>
  </Note>
);

function NoteOf({ meaning }: { meaning: Exclude<LinkMeaning, 'no_key'> }) {
  switch (meaning) {
    case 'plain':
      return (
        <Note tone="neutral" Icon={LinkIcon}>
          <p>
            <Trans>
              <Strong>This folder is not encrypted.</Strong> Anyone who has the link can open the files, and our server
              can read them.
            </Trans>
          </p>
        </Note>
      );
    case 'discord':
      return (
        <Note tone="warning" Icon={ServerCog}>
          <p>
            <Trans>
              <Strong>The Discord link is on.</Strong> Anyone who has this short link can open the files. Our server can
              read these files while this is on.
            </Trans>
          </p>
        </Note>
      );
    case 'revoked':
      return (
        <Note tone="warning" Icon={Unlink}>
          <p>
            <Trans>
              <Strong>The link was revoked.</Strong> It still shows the folder, but nobody who comes now can open its
              files.
            </Trans>
          </p>
        </Note>
      );
    case 'with_key':
      return (
        <Note tone="accent" Icon={KeyRound}>
          <p>
            <Trans>
              <Strong>This link contains the key.</Strong> Anyone who has it can open the files. The part after # stays
              in the browser and never reaches our server.
            </Trans>
          </p>
        </Note>
      );
    case 'with_key_and_passphrase':
      return (
        <Note tone="accent" Icon={KeyRound}>
          <p>
            <Trans>
              <Strong>This link needs the passphrase, too.</Strong> Send it another way than the link. The part after #
              stays in the browser and never reaches our server.
            </Trans>
          </p>
        </Note>
      );
    case 'key_apart':
      return (
        <Note tone="accent" Icon={KeyRound}>
          <p>
            <Trans>
              <Strong>The key travels separately.</Strong> People see the files as “No Key” until you send it to them
              another way. They put it at the end of the link.
            </Trans>
          </p>
        </Note>
      );
  }
}

/** The visitor's own address contains the key. */
const HOLDS_KEY: ReadonlySet<LinkMeaning> = new Set(['with_key', 'with_key_and_passphrase', 'key_apart']);

interface LinkNoteProps {
  meaning: LinkMeaning;
  role: Role;
  /** The folder lets in only people who come through Discord (DESIGN R16). */
  isRestricted: boolean;
}

/** What the link gives its recipients; people other than the owner get a note on sharing it. */
export function LinkNote({ meaning, role, isRestricted }: LinkNoteProps) {
  const isOwner = role === 'owner';
  const opens = meaning !== 'no_key' && meaning !== 'revoked';
  return (
    <>
      {isRestricted && (
        <Note tone="warning" Icon={UserCheck}>
          <p>
            <Trans>
              <Strong>The link alone lets nobody in.</Strong> Only people who come in through Discord see this folder,
              and what is said below holds for them alone.
            </Trans>
          </p>
        </Note>
      )}
      {meaning === 'no_key' ? isOwner ? <NoKeyOwner /> : <NoKeyGuest /> : <NoteOf meaning={meaning} />}
      {!isOwner && opens && (
        <p className="text-xs text-muted">
          <Trans>
            This is somebody else’s folder. Whoever you send the link to can view and download what you can, as long as
            the folder and its link last.
          </Trans>
        </p>
      )}
      {role === 'public' && HOLDS_KEY.has(meaning) && (
        <p className="text-xs text-muted">
          <Trans>
            You came without signing in, so the key stays in the address, and in this browser’s history. Clear the
            history of this site on a device that other people use.
          </Trans>
        </p>
      )}
    </>
  );
}
