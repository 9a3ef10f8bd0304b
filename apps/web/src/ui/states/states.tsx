import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Dots, LinkButton } from '../base/button.tsx';
import { Mark } from '../base/mark.tsx';
import { StitchFrame } from '../base/stitch.tsx';
import type { SpotPose } from '../spot-drawing.tsx';
import { Spot } from './spot.tsx';

interface PageStateProps {
  pose: SpotPose;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  /** Shows the '← Home' link above. */
  back?: boolean;
}

/** Full-page message: not found, expired, error, sign-in needed. */
export const PageState = ({ pose, title, children, actions, back = false }: PageStateProps) => (
  <div className="wrap grid min-h-[calc(100dvh-15rem)] place-items-center py-14">
    <div className="w-full max-w-md text-center">
      {back && (
        <p className="mb-8 text-left">
          <Link to="/" className="tap rounded-chip text-sm text-muted hover:text-ink">
            <Trans>← Home</Trans>
          </Link>
        </p>
      )}
      <div className="mb-6 flex justify-center">
        <Spot pose={pose} sizePx={148} />
      </div>
      <h1 className="display text-2xl">{title}</h1>
      <div className="mt-3 text-sm text-muted wrap-anywhere">{children}</div>
      {actions && <div className="mt-8 flex flex-col justify-center gap-2.5 sm:flex-row">{actions}</div>}
    </div>
  </div>
);

export interface PanelStateProps {
  pose: SpotPose;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

/** In-page message inside a tab or panel. */
export const PanelState = ({ pose, title, children, action }: PanelStateProps) => (
  <div className="relative flex flex-col items-center rounded-card px-6 py-14 text-center">
    <StitchFrame tone="line" />
    <Spot pose={pose} sizePx={116} />
    <h2 className="display mt-5 text-xl">{title}</h2>
    <p className="mt-1.5 max-w-sm text-balance text-sm text-muted">{children}</p>
    {action && <div className="mt-6">{action}</div>}
  </div>
);

export const HomeButton = ({ tone = 'primary' }: { tone?: 'primary' | 'quiet' }) => (
  <LinkButton to="/" tone={tone} size="lg">
    <Trans>Go Home</Trans>
  </LinkButton>
);

interface PageLoadingProps {
  title: string;
  /** What is said of the dots. */
  label?: string;
  children?: ReactNode;
}

/** A page that waits for its data. */
export const PageLoading = ({ title, label = '', children }: PageLoadingProps) => (
  <div className="wrap grid min-h-[60dvh] place-items-center">
    <div className="text-center" aria-busy="true">
      <Mark sizePx={56} className="mx-auto motion-safe:animate-dot" />
      <h1 className="display mt-5 text-xl">{title}</h1>
      {children}
      <div className="mt-4 flex justify-center text-subtle">
        <Dots label={label} />
      </div>
    </div>
  </div>
);

/** A page for signed-in people only. */
export function SignInNeeded({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  return (
    <PageState
      pose="locked"
      title={t`Authentication Required`}
      actions={
        <LinkButton to="/auth" tone="primary" size="lg">
          <Trans>Sign In</Trans>
        </LinkButton>
      }
    >
      {children}
    </PageState>
  );
}
