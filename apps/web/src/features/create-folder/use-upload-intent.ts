import { type AppError, toAppError } from '@satchel/contract/errors';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { sendJson } from '../../lib/api.ts';
import { currentSession, loadSession } from '../../lib/session.ts';
import {
  dropIntent,
  intentIn,
  type KeptIntent,
  keepIntent,
  keptIntent,
  redeemIntent,
  stepOf,
  type UploadIntent,
} from './upload-intent.ts';

/** Takes the intent out of the address as soon as it is there, and gives it to the tab to keep. */
function useBrought(onBrought: (intent: KeptIntent) => void): boolean {
  const brought = useLocation({ select: ({ hash }) => intentIn(hash) });
  const navigate = useNavigate({ from: '/upload' });
  useEffect(() => {
    if (brought === null) return;
    onBrought(keepIntent({ token: brought }));
    void navigate({ to: '.', search: true, hash: '', replace: true, resetScroll: false, hashScrollIntoView: false });
  }, [brought, navigate, onBrought]);
  return brought !== null;
}

/**
 * What /upload in Discord asked for, for whom it asks.
 * @param userId null until somebody is signed in
 */
export function useUploadIntent(userId: string | null) {
  const [kept, setKept] = useState(keptIntent);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const isComing = useBrought(setKept);
  // Whoever goes elsewhere begins afresh; whoever is asked to sign in comes back to it.
  useEffect(() => () => void (currentSession().state === 'in' && dropIntent()), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the same thing once more
  useEffect(() => {
    setFailure(null);
    if (userId === null || kept === null || 'asked' in kept) return;
    let isCurrent = true;
    const fail = (thrown: unknown) => {
      const error = toAppError(thrown);
      // The session has ended meanwhile; the page then asks to sign in.
      if (error.code === 'auth.required') return void loadSession().catch(() => setFailure(error));
      if (error.code === 'intent.invalid' || error.code === 'request.invalid') dropIntent();
      setFailure(error);
    };
    redeemIntent(sendJson, kept.token).then(
      (asked) => isCurrent && setKept(keepIntent({ asked, userId })),
      (error: unknown) => isCurrent && fail(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [userId, kept, attempt]);
  const intent: UploadIntent = isComing ? { step: 'waiting' } : stepOf(kept, failure, userId);
  return {
    intent,
    retry: () => setAttempt((before) => before + 1),
    /** Goes on without it. */
    dismiss: () => {
      dropIntent();
      setKept(null);
      setFailure(null);
    },
  };
}
