import { Trans, useLingui } from '@lingui/react/macro';
import { useTitle } from '../../lib/browser/hooks.ts';
import { Button, Dots } from '../../ui/base/button.tsx';
import { Mark } from '../../ui/base/mark.tsx';
import { HomeButton, PageState } from '../../ui/states/states.tsx';

export function FolderLoading() {
  const { t } = useLingui();
  const title = t`Loading folder`;
  useTitle(title);
  return (
    <div className="wrap grid min-h-[60dvh] place-items-center">
      <div className="text-center" aria-busy="true">
        <Mark sizePx={56} className="mx-auto motion-safe:animate-dot" />
        <h1 className="display mt-5 text-xl">
          <Trans>Loading folder...</Trans>
        </h1>
        <p className="mt-1 font-mono text-xs text-subtle">
          <Trans>Fetching consolidated data via RPC...</Trans>
        </p>
        <div className="mt-4 flex justify-center text-subtle">
          <Dots label={title} />
        </div>
      </div>
    </div>
  );
}

export function FolderError({ onRetry }: { onRetry: () => void }) {
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
      <Trans>Unable to load folder data. Please try again.</Trans>
    </PageState>
  );
}
