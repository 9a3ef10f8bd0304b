import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { cx } from '../../lib/base/class-names.ts';
import { settings } from '../../lib/base/settings.ts';

/** The name that the operator gives, else the site's own address. */
export const operatorName = (): string => settings.operator ?? new URL(settings.public_url).host;

/** Who runs this site, that its program is open source, and how to check it: before a stranger has to scroll. */
export const WhoRunsThis = ({ className }: { className?: string }) => (
  <p className={cx('dotted flex flex-wrap items-center text-xs text-muted', className)}>
    {/* A line of its own on a phone, or the rest would change lines, and the page jump, when the font comes. */}
    <span className="before:hidden max-sm:basis-full">
      <Trans>Run by {operatorName()}</Trans>
    </span>
    <span className="max-sm:before:hidden">
      <Trans>Open source</Trans>
    </span>
    <Link to="/docs" className="tap underline">
      <Trans>How to check it</Trans>
    </Link>
  </p>
);
