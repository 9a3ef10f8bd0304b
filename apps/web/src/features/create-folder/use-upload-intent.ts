import { type AppError, toAppError } from '@satchel/contract/errors';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { currentSession, loadSession } from '../../account/session/session.ts';
import { sendJson } from '../../lib/api/api.ts';
import { whileCurrent } from '../../lib/browser/while-current.ts';
import {
  deleteIntent,
  intentIn,
  type KeptIntent,
  keepIntent,
  keptIntent,
  redeemIntent,
  stepOf,
  type UploadIntent,
} from './upload-intent.ts';

/** Moves the intent from the address to the tab's storage at page load. */
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
 * The intent of Discord's /upload, for the person it was made for.
 * @param userId null while signed out
 */
export function useUploadIntent(userId: string | null) {
  const [kept, setKept] = useState(keptIntent);
  const [failure, setFailure] = useState<AppError | null>(null);
  const [attempt, setAttempt] = useState(0);
  const isComing = useBrought(setKept);
  // Leaving for another page discards the intent; the sign-in and back keeps it.
  useEffect(() => () => void (currentSession().state === 'in' && deleteIntent()), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt repeats the effect
  useEffect(() => {
    setFailure(null);
    if (userId === null || kept === null || 'asked' in kept) return;
    const fail = (thrown: unknown) => {
      const error = toAppError(thrown);
      // The session ended since page load; the page then asks for a sign-in.
      if (error.code === 'auth.required') return void loadSession().catch(() => setFailure(error));
      if (error.code === 'intent.invalid' || error.code === 'request.invalid') deleteIntent();
      setFailure(error);
    };
    return whileCurrent(redeemIntent(sendJson, kept.token), (asked) => setKept(keepIntent({ asked, userId })), fail);
  }, [userId, kept, attempt]);
  const intent: UploadIntent = isComing ? { step: 'waiting' } : stepOf(kept, failure, userId);
  return {
    intent,
    retry: () => setAttempt((before) => before + 1),
    /** Continues without the intent. */
    dismiss: () => {
      deleteIntent();
      setKept(null);
      setFailure(null);
    },
  };
}
