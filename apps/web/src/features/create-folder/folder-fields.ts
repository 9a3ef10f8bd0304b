import type { AppError } from '@satchel/contract/errors';
import type { FolderDraft } from './folder-draft.ts';

/** The form's fields by the names of their controls, in page order. */
export const FIELDS = ['name', 'passphrase', 'passphraseAgain', 'lifetime', 'description'] as const;
export type FieldName = (typeof FIELDS)[number];

/** Error text by field. */
export type FieldErrors = Readonly<Partial<Record<FieldName, string | undefined>>>;

export interface PartProps {
  draft: FolderDraft;
  errors: FieldErrors;
  onChange: (change: Partial<FolderDraft>) => void;
}

const SENT_AS: Readonly<Record<string, FieldName>> = {
  folder_name: 'name',
  folder_description: 'description',
  expires_in_hours: 'lifetime',
};

/** The field that a server error names, or null when it names none. */
export function fieldOf({ code, params }: AppError): FieldName | null {
  if (code === 'folder.lifetime') return 'lifetime';
  if (code === 'key.passphrase_failed') return 'passphrase';
  if (code !== 'request.invalid') return null;
  // `folder_name: the error`
  const [sentAs = ''] = String(params.message ?? '').split(':');
  return SENT_AS[sentAs] ?? null;
}
