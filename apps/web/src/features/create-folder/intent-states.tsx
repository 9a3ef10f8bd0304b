import { Trans, useLingui } from '@lingui/react/macro';
import type { AppError } from '@satchel/contract/errors';
import { MessageCircle, TriangleAlert } from 'lucide-react';
import { leave } from '../../account/sign-out/sign-out.ts';
import { useTitle } from '../../lib/browser/hooks.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button } from '../../ui/base/button.tsx';
import { PageFailed } from '../../ui/sections/page-failed.tsx';
import { Banner } from '../../ui/states/banner.tsx';
import { PageState } from '../../ui/states/states.tsx';
import type { UploadIntent } from './upload-intent.ts';

/** The command came from another Discord account than the signed-in one. */
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
            <Trans>Continue with this account</Trans>
          </Button>
        </>
      }
    >
      <p role="alert">
        <Trans>You typed /upload with a different account from the one signed in here.</Trans>
      </p>
      <p className="mt-2 text-subtle">
        <Trans>Discord may offer this account again; there you can change to the other one.</Trans>
      </p>
    </PageState>
  );
}

/** The request to the server failed. */
export function IntentStuck({ error, onRetry }: { error: AppError; onRetry: () => void }) {
  const { t } = useLingui();
  const title = t`Something went wrong`;
  useTitle(title);
  return (
    <PageFailed title={title} onRetry={onRetry}>
      <p role="alert">{errorText(error)}</p>
    </PageFailed>
  );
}

const IntentOver = ({ error }: { error: AppError }) => (
  <Banner tone="warning" icon={<TriangleAlert size={16} aria-hidden />} className="mt-6">
    <p role="alert">
      <b className="font-semibold">{errorText(error)}.</b>{' '}
      <Trans>You can still create a folder here, but Discord won’t tell you when its files are uploaded.</Trans>
    </p>
  </Banner>
);

/** The form's Discord notices. */
export function IntentNote({ intent }: { intent: UploadIntent }) {
  if (intent.step === 'over') return <IntentOver error={intent.error} />;
  if (intent.step !== 'asked') return null;
  const { folder_name: name, lifetime_hours: hours, link_mode: mode } = intent.asked;
  const isFilledIn = name !== null || hours !== null || mode !== 'private';
  return (
    <Banner icon={<MessageCircle size={16} aria-hidden />} className="mt-6">
      {isFilledIn ? (
        <Trans>Filled in by /upload. Discord will tell you when the files are uploaded.</Trans>
      ) : (
        <Trans>Discord will tell you when the files are uploaded.</Trans>
      )}
    </Banner>
  );
}
