import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useTitle } from '../../lib/browser/hooks.ts';
import { Button } from '../../ui/base/button.tsx';
import { HomeButton, PageLoading, PageState } from '../../ui/states/states.tsx';

export function FolderLoading() {
  const { t } = useLingui();
  const title = t`Loading folder`;
  useTitle(title);
  return (
    <PageLoading title={t`Loading folder...`} label={title}>
      <p className="mt-1 text-xs text-subtle tabular">
        <Trans>Fetching consolidated data via RPC...</Trans>
      </p>
    </PageLoading>
  );
}

interface FolderErrorProps {
  onRetry: () => void;
  /** What went wrong, if it is known. */
  children?: ReactNode;
}

export function FolderError({ onRetry, children }: FolderErrorProps) {
  const { t } = useLingui();
  const title = t`Something went wrong`;
  useTitle(title);
  return (
    <PageState
      pose="error"
      title={title}
      actions={
        <>
          <HomeButton />
          <Button size="lg" onClick={onRetry}>
            <Trans>Try Again</Trans>
          </Button>
        </>
      }
    >
      {children ?? <Trans>Unable to load folder data. Please try again.</Trans>}
    </PageState>
  );
}
