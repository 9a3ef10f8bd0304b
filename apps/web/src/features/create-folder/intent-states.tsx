import { Trans, useLingui } from '@lingui/react/macro';
import type { AppError } from '@satchel/contract/errors';
import { MessageCircle, TriangleAlert } from 'lucide-react';
import { errorText } from '../../lib/error-text.ts';
import { useTitle } from '../../lib/hooks.ts';
import { leave } from '../../lib/sign-out.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { HomeButton, PageState } from '../../ui/states.tsx';
import type { UploadIntent } from './upload-intent.ts';

/** Whose Discord account the command was typed with is not who is signed in here. */
export function IntentForeign({ onDismiss }: { onDismiss: () => void }) {
  const { t } = useLingui();
  const title = t`Made for another Discord account`;
  useTitle(title);
  return (
    <PageState
      pose="locked"
      title={title}
      actions={
        <>
          <Button tone="primary" size="lg" onClick={() => void leave()}>
            <Trans>Sign out and use the other one</Trans>
          </Button>
          <Button size="lg" onClick={onDismiss}>
            <Trans>Go on with this account</Trans>
          </Button>
        </>
      }
    >
      <p role="alert">
        <Trans>You typed /upload with another account than the one that is signed in here.</Trans>
      </p>
      <p className="mt-2 text-subtle">
        <Trans>Discord may offer this account again; there you can change to the other one.</Trans>
      </p>
    </PageState>
  );
}

/** The server could not be asked. */
export function IntentStuck({ error, onRetry }: { error: AppError; onRetry: () => void }) {
  const { t } = useLingui();
  const title = t`Something went wrong`;
  useTitle(title);
  return (
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
      <p role="alert">{errorText(error)}</p>
    </PageState>
  );
}

const IntentOver = ({ error }: { error: AppError }) => (
  <Banner tone="warning" icon={<TriangleAlert size={16} aria-hidden />} className="mt-6">
    <p role="alert">
      <b className="font-semibold">{errorText(error)}.</b>{' '}
      <Trans>You can make a folder here all the same; Discord then doesn’t tell you when its files are there.</Trans>
    </p>
  </Banner>
);

/** What the form has to do with Discord. */
export function IntentNote({ intent }: { intent: UploadIntent }) {
  if (intent.step === 'over') return <IntentOver error={intent.error} />;
  if (intent.step !== 'asked') return null;
  return (
    <Banner icon={<MessageCircle size={16} aria-hidden />} className="mt-6">
      <Trans>Filled in by /upload. Discord tells you when files are there.</Trans>
    </Banner>
  );
}
