import { Trans, useLingui } from '@lingui/react/macro';
import type { ComponentProps, ReactNode } from 'react';
import { useTitle } from '../../lib/browser/hooks.ts';
import { Button, LinkButton } from '../../ui/base/button.tsx';
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

interface FolderStateProps extends Omit<ComponentProps<typeof PageState>, 'actions'> {
  /** What may help, beside going home. */
  action?: ReactNode;
}

/** A page in the place of a folder; the tab has its title, too. */
export function FolderState({ action, ...state }: FolderStateProps) {
  useTitle(state.title);
  return (
    <PageState
      {...state}
      actions={
        <>
          <HomeButton />
          {action}
        </>
      }
    />
  );
}

/** For a person whose folder it may be. */
export const SignInLink = () => (
  <LinkButton to="/auth" size="lg">
    <Trans>Sign In</Trans>
  </LinkButton>
);

interface FolderErrorProps {
  onRetry: () => void;
  /** What went wrong, if it is known. */
  children?: ReactNode;
}

export function FolderError({ onRetry, children }: FolderErrorProps) {
  const { t } = useLingui();
  return (
    <FolderState
      pose="error"
      title={t`Something went wrong`}
      action={
        <Button size="lg" onClick={onRetry}>
          <Trans>Try Again</Trans>
        </Button>
      }
    >
      {children ?? <Trans>Unable to load folder data. Please try again.</Trans>}
    </FolderState>
  );
}
