import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { type Role, roleOf } from '@satchel/contract/roles';
import { type SessionState, userIdOf } from '../../account/session/session-state.ts';

/** State of the folder page. */
export type FolderView =
  | { readonly status: 'loading' }
  | { readonly status: 'error' }
  | { readonly status: 'not_found' }
  | { readonly status: 'expired'; readonly expires_at: string }
  | { readonly status: 'taken_down'; readonly reason: string }
  | {
      readonly status: 'active';
      readonly folder: FolderCompleteData;
      readonly role: Role;
      readonly userId: string | null;
      /** Receive time of `folder` by this device's clock; milliseconds since the epoch. */
      readonly receivedAtMs: number;
    };

export interface FolderFacts {
  readonly data: FolderCompleteData | ExpiredFolder | undefined;
  readonly error: AppError | null;
  /** Receive time of `data` by this device's clock; milliseconds since the epoch. */
  readonly receivedAtMs: number;
}

const isComplete = (data: FolderCompleteData | ExpiredFolder): data is FolderCompleteData => 'folder_id' in data;

/**
 * Waits for both folder and session, so that the page never shows a wrong role. A failed refresh keeps the last
 * data, unless the folder does not exist any more or the data belongs to another folder.
 */
export function folderView({ data, error, receivedAtMs }: FolderFacts, session: SessionState): FolderView {
  if (error?.code === 'folder.not_found') return { status: 'not_found' };
  if (error?.code === 'folder.taken_down') return { status: 'taken_down', reason: String(error.params.reason) };
  if (error?.code === 'folder.changed') return { status: 'error' };
  if (!data) return { status: error ? 'error' : 'loading' };
  if (!isComplete(data)) return { status: 'expired', expires_at: data.folder_expires_at };
  if (session.state === 'loading') return { status: 'loading' };
  const userId = userIdOf(session);
  const role = roleOf(userId, data.folder_owner_profile_id);
  return { status: 'active', folder: data, role, userId, receivedAtMs };
}
