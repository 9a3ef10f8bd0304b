import { Trans } from '@lingui/react/macro';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { Button } from '../base/button.tsx';

const tones = {
  neutral: 'bg-raised text-muted',
  accent: 'bg-accent-soft text-ink',
  info: 'bg-info-soft text-ink',
  warning: 'bg-warning-soft text-ink',
  danger: 'bg-danger-soft text-ink',
} as const;

interface BannerProps {
  tone?: keyof typeof tones;
  icon?: ReactNode;
  /** What the region is called; without it the banner is plain text of the page. */
  label?: string;
  action?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A line across its container: sign-in prompt, warning, failed form. */
export function Banner({ tone = 'neutral', icon, label, action, children, className }: BannerProps) {
  const Element = label ? 'aside' : 'div';
  return (
    <Element
      aria-label={label}
      className={cx('card flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3 text-sm', tones[tone], className)}
    >
      {icon}
      <div className="min-w-48 flex-1">{children}</div>
      {action}
    </Element>
  );
}

/** A part of a page that could not be loaded, and a retry. */
export const LoadFailed = ({ children, onRetry }: { children: ReactNode; onRetry: () => void }) => (
  <div role="alert">
    <Banner
      tone="danger"
      icon={<CircleAlert size={18} aria-hidden className="text-danger" />}
      action={
        <Button onClick={onRetry}>
          <Trans>Try Again</Trans>
        </Button>
      }
    >
      {children}
    </Banner>
  </div>
);
