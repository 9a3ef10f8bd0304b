import { Trans } from '@lingui/react/macro';
import { useSession } from '../../account/session/session.ts';
import { settings } from '../../lib/base/settings.ts';
import { AnchorButton, LinkButton } from '../../ui/base/button.tsx';
import { DiscordMark } from '../../ui/base/discord-mark.tsx';

/** Opens the bot's authorize page in a new tab. Without a bot, shows nothing. */
export function AddToDiscord() {
  if (!settings.add_to_discord_url) return null;
  return (
    <AnchorButton href={settings.add_to_discord_url} target="_blank" rel="noreferrer" tone="discord" size="xl">
      <DiscordMark />
      <Trans>
        Add to Discord<span className="sr-only"> (opens in a new tab)</span>
      </Trans>
    </AnchorButton>
  );
}

/** The action without a bot: create a folder when signed in, else sign in. */
export function GetStarted() {
  const look = { tone: settings.add_to_discord_url ? 'outline' : 'primary', size: 'xl' } as const;
  return useSession().state === 'in' ? (
    <LinkButton to="/upload" {...look}>
      <Trans>Create a folder</Trans>
    </LinkButton>
  ) : (
    <LinkButton to="/auth" {...look}>
      <Trans>Get Started Free</Trans>
    </LinkButton>
  );
}
