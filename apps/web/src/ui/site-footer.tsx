import { Trans, useLingui } from '@lingui/react/macro';
import type { SiteLinks } from '@satchel/contract/wire/web-settings';
import { Link } from '@tanstack/react-router';
import { settings } from '../lib/base/settings.ts';
import { hoursText } from '../lib/texts/amounts.ts';
import { useLanguage } from '../lib/texts/language.ts';
import { Wordmark } from './base/mark.tsx';

const LOOKS = 'inline-flex min-h-10 items-center rounded-chip px-2 underline-offset-4 hover:text-ink hover:underline';

/** The links that the server's settings name; the pages about privacy, about the site and how to check it are always there. */
function SiteLinkList() {
  const { t } = useLingui();
  const { links } = settings;
  const named: readonly (readonly [keyof SiteLinks, string])[] = [
    ['source', t`Source code`],
    ['docs', t`Documentation`],
    ['privacy', t`Privacy`],
    ['terms', t`Terms`],
    ['contact', t`Contact`],
    ['status', t`Status`],
  ];
  return (
    <nav aria-label={t`About this site`} className="-mx-2 flex flex-wrap gap-x-2">
      {named.map(([name, text]) => {
        const address = links[name];
        if (address !== null) {
          return (
            // A mail program is no tab of its own.
            <a
              key={name}
              href={address}
              target={address.startsWith('mailto:') ? undefined : '_blank'}
              rel="noreferrer"
              className={LOOKS}
            >
              {text}
            </a>
          );
        }
        if (name !== 'privacy' && name !== 'docs') return null;
        return (
          <Link key={name} to={`/${name}`} className={LOOKS}>
            {text}
          </Link>
        );
      })}
      <Link to="/check" className={LOOKS}>
        <Trans>Check this site</Trans>
      </Link>
    </nav>
  );
}

/** At the foot of every page. */
export function SiteFooter() {
  // For the lifetime, which is a function's text.
  useLanguage();
  const lifetime = hoursText(settings.folder_lifetime_hours);
  return (
    // A dock lies over the end of the page: the footer ends above it.
    <footer className="wrap flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-t border-line/60 py-6 text-xs text-subtle in-[[data-uploads]]:pb-32 in-[[data-zip]]:pb-32">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Wordmark />
        <p>
          <Trans>Every folder empties itself after {lifetime}.</Trans>
        </p>
      </div>
      <SiteLinkList />
    </footer>
  );
}
