import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from '../base/button.tsx';
import { HomeButton, PageState } from '../states/states.tsx';

interface PageFailedProps {
  title: string;
  onRetry: () => void;
  /** Why. */
  children: ReactNode;
}

/** A page whose data could not be loaded, and a retry. */
export const PageFailed = ({ title, onRetry, children }: PageFailedProps) => (
  <PageState
    pose="error"
    title={title}
    actions={
      <>
        <Button tone="primary" size="lg" onClick={onRetry}>
          <Trans>Try Again</Trans>
        </Button>
        <HomeButton tone="quiet" />
      </>
    }
  >
    {children}
  </PageState>
);
