import { Trans } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { KeyRound, LinkIcon, type LucideIcon, ServerCog, Unlink, UserCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { forgetsAfterMs } from '../../lib/base/device.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import type { LinkMeaning } from './link-state.ts';

const tones = { accent: 'bg-accent-soft', warning: 'bg-warning-soft', neutral: 'bg-sunken' } as const;
const inks = { accent: 'text-accent-text', warning: 'text-warning', neutral: 'text-subtle' } as const;

interface NoteProps {
  tone: keyof typeof tones;
  Icon: LucideIcon;
  text: ReactNode;
  more?: ReactNode;
}

const Note = ({ tone, Icon, text, more }: NoteProps) => (
  <div className={`flex gap-3 rounded-control p-3.5 text-xs text-muted ${tones[tone]}`}>
    <Icon size={17} aria-hidden className={`mt-px shrink-0 ${inks[tone]}`} />
    <div className="grid gap-1.5">
      <p>{text}</p>
      {more && <p>{more}</p>}
    </div>
  </div>
);

const Strong = ({ children }: { children?: ReactNode }) => <b className="font-semibold text-ink">{children}</b>;

const NOTES: Readonly<Record<Exclude<LinkMeaning, 'no_key'> | 'no_key_owner' | 'no_key_guest', NoteProps>> = {
  // The owner's device has no key; the device that created the folder has it (docs/container.md §3).
  no_key_owner: {
    tone: 'warning',
    Icon: KeyRound,
    text: (
      <Trans>
        <Strong>This device doesn’t have the key.</Strong> So it can’t copy the full link: the one above shows the
        folder, but opens none of its files.
      </Trans>
    ),
    more: (
      <Trans>
        To get it here, open Share on a device that has the key, and scan the QR code there with this one. Or open the
        full link here, with the part after the # sign.
      </Trans>
    ),
  },
  no_key_guest: {
    tone: 'warning',
    Icon: KeyRound,
    text: (
      <Trans>
        <Strong>Your link has no key.</Strong> People who get it from you see the files as “No Key”, as you do. Ask the
        owner for the full link, with the part after the # sign.
      </Trans>
    ),
  },
  plain: {
    tone: 'neutral',
    Icon: LinkIcon,
    text: (
      <Trans>
        <Strong>This folder is not encrypted.</Strong> Anyone who has the link can open the files, and our server can
        read them.
      </Trans>
    ),
  },
  discord: {
    tone: 'warning',
    Icon: ServerCog,
    text: (
      <Trans>
        <Strong>The Discord link is on.</Strong> Anyone who has this short link can open the files. Our server can read
        these files while this is on.
      </Trans>
    ),
  },
  revoked: {
    tone: 'warning',
    Icon: Unlink,
    text: (
      <Trans>
        <Strong>The link was revoked.</Strong> It still shows the folder, but people who come now can’t open its files.
      </Trans>
    ),
  },
  with_key: {
    tone: 'accent',
    Icon: KeyRound,
    text: (
      <Trans>
        <Strong>This link contains the key.</Strong> Anyone who has it can open the files. The part after # stays in the
        browser and never reaches our server.
      </Trans>
    ),
  },
  with_key_and_passphrase: {
    tone: 'accent',
    Icon: KeyRound,
    text: (
      <Trans>
        <Strong>This link needs the passphrase, too.</Strong> Send it separately from the link. The part after # stays
        in the browser and never reaches our server.
      </Trans>
    ),
  },
  key_apart: {
    tone: 'accent',
    Icon: KeyRound,
    text: (
      <Trans>
        <Strong>The key travels separately.</Strong> People see the files as “No Key” until you send it to them another
        way. They put it at the end of the link.
      </Trans>
    ),
  },
};

/** The visitor's own address contains the key. */
const HOLDS_KEY: ReadonlySet<LinkMeaning> = new Set(['with_key', 'with_key_and_passphrase', 'key_apart']);

interface LinkNoteProps {
  meaning: LinkMeaning;
  role: Role;
  folder: Pick<FolderCompleteData, 'folder_access' | 'folder_expires_at'>;
}

/** What the link gives its recipients; people other than the owner get a note on sharing it. */
export function LinkNote({ meaning, role, folder }: LinkNoteProps) {
  const isOwner = role === 'owner';
  const leftMs = Date.parse(folder.folder_expires_at) - useNow();
  const opens = meaning !== 'no_key' && meaning !== 'revoked';
  return (
    <>
      {/* Only people who come through Discord are let in. */}
      {folder.folder_access === 'restricted' && (
        <Note
          tone="warning"
          Icon={UserCheck}
          text={
            <Trans>
              <Strong>The link alone doesn’t open this folder.</Strong> Only people invited in Discord get in. What
              follows is about them.
            </Trans>
          }
        />
      )}
      <Note {...NOTES[meaning === 'no_key' ? (isOwner ? 'no_key_owner' : 'no_key_guest') : meaning]} />
      {isOwner && HOLDS_KEY.has(meaning) && leftMs > forgetsAfterMs() && (
        <p className="text-xs text-muted">
          <Trans>
            Safari deletes what this site keeps on this device, this key too, after seven days without a visit. Keep the
            full link, or come back in time.
          </Trans>
        </p>
      )}
      {!isOwner && opens && (
        <p className="text-xs text-muted">
          <Trans>
            This is another person’s folder. Everyone you send the link to can view and download what you can, as long
            as the folder and its link last.
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
