import { useLingui } from '@lingui/react/macro';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { announce } from '../../lib/announce.ts';
import { rpc } from '../../lib/api.ts';
import { errorText } from '../../lib/error-text.ts';
import { createFolderKey } from '../../lib/folder-crypto.ts';
import { rememberKey } from '../../lib/key-store.ts';
import { passphraseFaultText } from '../../lib/passphrase-fault.ts';
import { loadSession } from '../../lib/session.ts';
import { createFolderMaker, type NewFolder } from './create-folder.ts';
import { type DraftProblems, type FolderDraft, problemsOf } from './folder-draft.ts';
import { FIELDS, type FieldErrors, type FieldName, fieldOf } from './folder-fields.ts';

const makeFolder = createFolderMaker({ rpc, createFolderKey, rememberKey });

export interface CreateFolderInput {
  userId: string;
  intentId: string | null;
  onCreated: (created: NewFolder) => void;
  /** Some fields are wrong; the first of them wants the focus. */
  onFieldError: (field: FieldName) => void;
}

function useProblemTexts(problems: DraftProblems, refused: AppError | null): FieldErrors {
  const { t } = useLingui();
  const field = refused && fieldOf(refused);
  const { passphrase: fault } = problems;
  const faultText = fault === 'missing' ? t`Type a passphrase, or turn it off.` : fault && passphraseFaultText(fault);
  return {
    ...(faultText ? { passphrase: faultText } : {}),
    ...(problems.passphraseAgain ? { passphraseAgain: t`The two are not the same.` } : {}),
    ...(refused && field ? { [field]: errorText(refused) } : {}),
  };
}

/** Checks the draft, has the folder made, and says at which field something is wrong. */
export function useCreateFolder({ userId, intentId, onCreated, onFieldError }: CreateFolderInput) {
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<DraftProblems>({});
  const [refused, setRefused] = useState<AppError | null>(null);
  const errors = useProblemTexts(problems, refused);

  const refuse = (failure: unknown) => {
    const error = toAppError(failure);
    const field = fieldOf(error);
    setBusy(false);
    setRefused(error);
    if (field) return onFieldError(field);
    announce(errorText(error), true);
    // The session may have ended meanwhile; the page then asks to sign in.
    if (error.code === 'auth.required') void loadSession().catch(() => {});
  };
  const create = async (draft: FolderDraft) => {
    const found = problemsOf(draft);
    const first = FIELDS.find((field) => field in found);
    setProblems(found);
    setRefused(null);
    if (first) return onFieldError(first);
    setBusy(true);
    await makeFolder(draft, userId, intentId).then(onCreated, refuse);
  };
  /** What is being changed is no longer wrong until it is sent again. */
  const forgive = () => {
    setProblems({});
    setRefused(null);
  };
  return { busy, errors, refused: refused && fieldOf(refused) === null ? refused : null, create, forgive };
}
