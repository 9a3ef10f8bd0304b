import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';

/**
 * Asks before the page that creates a folder is left, or another link is opened over it: the files that were chosen there
 * are on no server yet.
 * @param count chosen files
 */
export function LeaveFormQuestion({ count }: { count: number }) {
  const { t } = useLingui();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    disabled: count === 0,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={t`Leave this page?`}
      description={
        <p>
          <Plural
            value={count}
            one="The file you chose hasn’t been uploaded and will be removed from the list."
            other="The # files you chose haven’t been uploaded and will be removed from the list."
          />{' '}
          <Trans>What you typed is lost, too.</Trans>
        </p>
      }
      cancel={t`Stay`}
      yes={t`Leave`}
      onClose={reset}
      onConfirm={proceed}
    />
  );
}
