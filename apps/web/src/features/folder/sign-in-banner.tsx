import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { settings } from '../../lib/base/settings.ts';
import { limitText } from '../../lib/figures/format.ts';

/** For signed-out visitors (§1, §2). */
export function SignInBanner() {
  const { t } = useLingui();
  const limit = limitText(settings.free_storage_bytes);
  return (
    <aside aria-label={t`Sign in`} className="border-b border-line/60 bg-accent-soft">
      <p className="wrap flex flex-wrap items-center justify-center gap-x-3 gap-y-0.5 py-2.5 text-center text-xs text-ink sm:text-sm">
        <Trans>Signing up is free and lets you share up to {limit} of files.</Trans>
        <Link
          to="/auth"
          className="tap rounded-chip font-semibold text-accent-text underline decoration-stitch underline-offset-4"
        >
          <Trans>Sign In</Trans>
        </Link>
      </p>
    </aside>
  );
}
