import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { cx } from '../../lib/base/class-names.ts';
import { settings } from '../../lib/base/settings.ts';

const LINK = 'tap rounded-chip underline decoration-line underline-offset-4 hover:text-ink';

/** The name that the operator gives, else the site's own address. */
export const operatorName = (): string => settings.operator ?? new URL(settings.public_url).host;

/** Who runs this site, that its program is open source, and how to check it: before a stranger has to scroll. */
export function WhoRunsThis({ className }: { className?: string }) {
  const name = operatorName();
  const { source } = settings.links;
  return (
    <p className={cx('text-xs text-muted', className)}>
      <span className="dotted inline-flex flex-wrap">
        <span className="inline-flex items-center">
          <Trans>Run by {name}</Trans>
        </span>
        {source === null ? (
          <span className="inline-flex items-center">
            <Trans>Open source</Trans>
          </span>
        ) : (
          <a href={source} target="_blank" rel="noreferrer" className={LINK}>
            <Trans>Open source</Trans>
          </a>
        )}
        <Link to="/docs" className={LINK}>
          <Trans>How to check it</Trans>
        </Link>
      </span>
    </p>
  );
}
