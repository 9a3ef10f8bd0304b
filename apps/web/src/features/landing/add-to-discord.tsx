import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../account/session/session.ts';
import { settings } from '../../lib/base/settings.ts';
import { Button } from '../../ui/base/button.tsx';
import { DiscordMark } from '../../ui/base/discord-mark.tsx';

/** Opens the bot's authorize page in a new tab. Without a bot, shows nothing. */
export function AddToDiscord() {
  if (!settings.add_to_discord_url) return null;
  return (
    <Button asChild tone="discord" size="xl">
      <a href={settings.add_to_discord_url} target="_blank" rel="noreferrer">
        <DiscordMark />
        <Trans>
          Add to Discord<span className="sr-only"> (opens in a new tab)</span>
        </Trans>
      </a>
    </Button>
  );
}

/** The action without a bot: create a folder when signed in, else sign in. */
export function GetStarted() {
  const session = useSession();
  return (
    <Button asChild tone={settings.add_to_discord_url ? 'outline' : 'primary'} size="xl">
      {session.state === 'in' ? (
        <Link to="/upload">
          <Trans>Create a folder</Trans>
        </Link>
      ) : (
        <Link to="/auth">
          <Trans>Get Started Free</Trans>
        </Link>
      )}
    </Button>
  );
}
