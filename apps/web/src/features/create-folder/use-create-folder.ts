import { useLingui } from '@lingui/react/macro';
import { createFolderMaker, type NewFolder } from '@satchel/client/folders/create-folder';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { useState } from 'react';
import { loadSession } from '../../account/session/session.ts';
import { rememberKey } from '../../engine/keys/key-store.ts';
import { derivePassphraseKey } from '../../engine/passphrase/passphrase-client.ts';
import { rpc } from '../../lib/api/api.ts';
import { announce } from '../../lib/base/announce.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { passphraseFaultText } from '../../ui/forms/passphrase-fault-text.ts';
import { type DraftProblems, type FolderDraft, passphraseOf, problemsOf } from './folder-draft.ts';
import { FIELDS, type FieldErrors, type FieldName, fieldOf } from './folder-fields.ts';

const makeFolder = createFolderMaker({ rpc, derivePassphraseKey, rememberKey });

export interface CreateFolderInput {
  userId: string;
  intentId: string | null;
  onCreated: (created: NewFolder) => void;
  /** Some fields have errors; the first of them takes the focus. */
  onFieldError: (field: FieldName) => void;
}

function useProblemTexts(problems: DraftProblems, refused: AppError | null): FieldErrors {
  const { t } = useLingui();
  const field = refused && fieldOf(refused);
  const { passphrase: fault } = problems;
  const faultText = fault === 'missing' ? t`Type a passphrase, or turn it off.` : fault && passphraseFaultText(fault);
  return {
    ...(faultText ? { passphrase: faultText } : {}),
    ...(problems.passphraseAgain ? { passphraseAgain: t`The two passphrases are not the same.` } : {}),
    ...(refused && field ? { [field]: errorText(refused) } : {}),
  };
}

/** Validates the draft, creates the folder, and shows each error at its field. */
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
    // The session may have ended since page load; the page then asks for a sign-in.
    if (error.code === 'auth.required') void loadSession().catch(() => {});
  };
  const create = async (draft: FolderDraft) => {
    const found = problemsOf(draft);
    const first = FIELDS.find((field) => field in found);
    setProblems(found);
    setRefused(null);
    if (first) return onFieldError(first);
    setBusy(true);
    await makeFolder({ ...draft, passphrase: passphraseOf(draft) }, userId, intentId).then(onCreated, refuse);
  };
  /** Editing a field clears its error until the next submit. */
  const forgive = () => {
    setProblems({});
    setRefused(null);
  };
  return { busy, errors, refused: refused && fieldOf(refused) === null ? refused : null, create, forgive };
}
