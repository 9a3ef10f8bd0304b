import { Trans } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { settings } from '../../lib/base/settings.ts';
import { AnchorButton } from '../../ui/base/button.tsx';
import type { LinkMeaning } from './link-state.ts';

const DISCORD = 'https://discord.com/channels/@me';

const Command = ({ children }: { children: ReactNode }) => (
  <code className="rounded-chip bg-surface px-1.5 py-0.5 font-mono text-ink">{children}</code>
);

interface WayProps {
  folder: FolderCompleteData;
  meaning: LinkMeaning;
  /** The folder's name, as /share lists it. */
  name: string;
}

/** The card of /share opens these: its link needs no key. */
function ByCard({ name, meaning }: Pick<WayProps, 'name' | 'meaning'>) {
  return (
    <>
      <p>
        <Trans>
          In the channel or chat, type <Command>/share</Command> and choose <b className="font-semibold">{name}</b>.
          People there get a card with Open.
        </Trans>
      </p>
      <p>
        {meaning === 'discord' ? (
          <Trans>They need no key: our server has it as long as the Discord link is on.</Trans>
        ) : (
          <Trans>They need no key: this folder is not encrypted.</Trans>
        )}{' '}
        <Trans>The link that you copy here works in a message, too.</Trans>
      </p>
    </>
  );
}

/** This site has no bot in Discord. */
const ByLink = () => (
  <p>
    <Trans>Copy the link and paste it into a message. Everyone who can read the message can open the files.</Trans>
  </p>
);

/** The bot asks for the key of a private folder; then its card opens the folder. */
const ByQuestion = ({ folder, name }: Pick<WayProps, 'folder' | 'name'>) => (
  <p>
    {folder.folder_access === 'restricted' ? (
      <Trans>
        In the channel or chat, type <Command>/share</Command> and choose <b className="font-semibold">{name}</b>. The
        bot asks whether our server may hold the key; then its card lets people in.
      </Trans>
    ) : (
      <Trans>
        Or type <Command>/share</Command> there and choose <b className="font-semibold">{name}</b>. The bot asks whether
        our server may hold the key; then people get a card with Open.
      </Trans>
    )}
  </p>
);

/** A private link: the message itself can carry the key. */
const ByMessage = ({ meaning }: Pick<WayProps, 'meaning'>) =>
  meaning === 'with_key_and_passphrase' ? (
    <>
      <p>
        <Trans>
          Copy the link and paste it into a message. It contains the key: with the passphrase, everyone who can read the
          message can open the files, Discord too.
        </Trans>
      </p>
      <p>
        <Trans>People need the passphrase, too: send it another way.</Trans>
      </p>
    </>
  ) : (
    <p>
      <Trans>
        Copy the link and paste it into a message. It contains the key, so everyone who can read the message can open
        the files, Discord too.
      </Trans>
    </p>
  );

/** A private folder. A restricted one lets nobody in by a link. */
const ByEither = (props: WayProps) => (
  <>
    {props.folder.folder_access !== 'restricted' && <ByMessage {...props} />}
    {Boolean(settings.add_to_discord_url) && <ByQuestion {...props} />}
  </>
);

/** How the folder gets into a channel or chat of Discord: the way depends on where its key is. */
export function SendToDiscord(props: WayProps) {
  const needsNoKey = props.meaning === 'discord' || props.meaning === 'plain';
  const isByCard = needsNoKey && Boolean(settings.add_to_discord_url);
  return (
    <div className="grid gap-2.5 rounded-control bg-sunken p-3.5 text-xs text-muted">
      {isByCard ? <ByCard {...props} /> : needsNoKey ? <ByLink /> : <ByEither {...props} />}
      <div className="mt-1 flex flex-wrap gap-2">
        <AnchorButton href={DISCORD} target="_blank" rel="noreferrer" size="sm">
          <ExternalLink size={14} aria-hidden />
          <Trans>
            Open Discord<span className="sr-only"> (opens in a new tab)</span>
          </Trans>
        </AnchorButton>
        {isByCard && (
          <AnchorButton
            href={settings.add_to_discord_url ?? ''}
            target="_blank"
            rel="noreferrer"
            size="sm"
            tone="ghost"
          >
            <Trans>
              /share is missing there? Add Satchel<span className="sr-only"> (opens in a new tab)</span>
            </Trans>
          </AnchorButton>
        )}
      </div>
    </div>
  );
}
