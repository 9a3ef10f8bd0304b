import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../lib/session.ts';
import { settings } from '../../lib/settings.ts';
import { Button } from '../../ui/button.tsx';
import { DiscordMark } from '../../ui/discord-mark.tsx';

/** Opens the bot's authorize page in a new tab. A server without a bot has none, and shows nothing. */
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

/** The way in without the bot: a folder for those who are signed in, else the sign-in. */
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
