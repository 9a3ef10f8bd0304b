import { Trans, useLingui } from '@lingui/react/macro';
import { enterByGrant, splitGrant } from '@satchel/client/keys/grant';
import { bringsGrant } from '@satchel/client/keys/link-parts';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { rpc, sendJson } from '../../../lib/api/api.ts';
import { whileCurrent } from '../../../lib/browser/while-current.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { FolderError, FolderLoading, FolderState, SignInLink } from '../folder-states.tsx';

interface GrantDoorProps {
  slug: string;
  onIn: () => void;
}

/** Removes the grant from the address at page load; the key beside it stays. */
function useGrant(): string | null {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate({ from: '/f/$slug' });
  const [grant, setGrant] = useState<string | null>(null);
  useEffect(() => {
    if (!bringsGrant(hash)) return;
    const { grant, rest } = splitGrant(hash);
    setGrant(grant);
    void navigate({ to: '.', search: true, hash: rest, replace: true, resetScroll: false, hashScrollIntoView: false });
  }, [hash, navigate]);
  return grant;
}

function GrantOver() {
  const { t } = useLingui();
  return (
    <FolderState pose="locked" title={t`This invitation is no longer valid`} action={<SignInLink />}>
      <p>
        <Trans>An invitation from Discord lets one browser in, once and within five minutes.</Trans>
      </p>
      <p className="mt-2 text-subtle">
        <Trans>Click Open in Discord again. If the folder is yours, sign in.</Trans>
      </p>
    </FolderState>
  );
}

/** Entry with a grant from Discord: loads the folder once the server accepts the grant. */
export function GrantDoor({ slug, onIn }: GrantDoorProps) {
  const grant = useGrant();
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<AppError | null>(null);
  const letIn = useEffectEvent(onIn);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt repeats the effect
  useEffect(() => {
    if (grant === null) return;
    setFailure(null);
    const entering = enterByGrant({ sendJson, rpc }, slug, grant);
    return whileCurrent(entering, letIn, (error) => setFailure(toAppError(error)));
  }, [slug, grant, attempt]);
  if (failure?.code === 'folder.not_found') return <GrantOver />;
  const retry = () => setAttempt((before) => before + 1);
  if (failure) return <FolderError onRetry={retry}>{errorText(failure)}</FolderError>;
  return <FolderLoading />;
}
