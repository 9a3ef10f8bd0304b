import { Trans, useLingui } from '@lingui/react/macro';
import { useTitle } from '../lib/base/page-hooks.ts';
import { Button, LinkButton } from '../ui/base/button.tsx';
import { Mark } from '../ui/base/mark.tsx';

/** Shown when a page breaks or its code can't be loaded, so it is part of the first chunk. */
export function ErrorScreen() {
  const { t } = useLingui();
  useTitle(t`Something went wrong`);
  return (
    <div className="wrap grid min-h-[calc(100dvh-15rem)] place-items-center py-14">
      <div className="max-w-md text-center">
        <Mark sizePx={72} className="mx-auto" />
        <h1 className="display mt-6 text-2xl">
          <Trans>Something went wrong</Trans>
        </h1>
        <p className="mt-3 text-sm text-muted">
          <Trans>This page could not be shown. Your files are not affected.</Trans>
        </p>
        <div className="mt-8 flex flex-col justify-center gap-2.5 sm:flex-row">
          <Button tone="primary" size="lg" onClick={() => location.reload()}>
            <Trans>Try Again</Trans>
          </Button>
          <LinkButton to="/" reloadDocument size="lg">
            <Trans>Go Home</Trans>
          </LinkButton>
        </div>
      </div>
    </div>
  );
}
