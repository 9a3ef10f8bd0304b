import type { ExpiredFolder, FolderCompleteData } from '@satchel/contract/api';
import type { AppError } from '@satchel/contract/errors';
import { type Role, roleOf } from '@satchel/contract/roles';
import { type SessionState, userIdOf } from '../../lib/session-state.ts';

/** What the folder page shows (§4 "Folder page"). */
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
      /** When `folder` came, by this device's clock; milliseconds since the epoch. */
      readonly receivedAtMs: number;
      /** The database's clock minus this device's, in milliseconds. */
      readonly clockOffsetMs: number;
    };

export interface FolderFacts {
  readonly data: FolderCompleteData | ExpiredFolder | undefined;
  readonly error: AppError | null;
  /** When `data` came, by this device's clock; milliseconds since the epoch. */
  readonly receivedAtMs: number;
}

const isComplete = (data: FolderCompleteData | ExpiredFolder): data is FolderCompleteData => 'folder_id' in data;

/**
 * The page's view. It waits for the folder and the session both, so that nobody sees a role that is not theirs. A failed
 * refresh leaves what is there, unless it says that the folder is gone, or speaks of another folder.
 */
export function folderView({ data, error, receivedAtMs }: FolderFacts, session: SessionState): FolderView {
  if (error?.code === 'folder.not_found') return { status: 'not_found' };
  if (error?.code === 'folder.taken_down') return { status: 'taken_down', reason: String(error.params.reason) };
  if (error?.code === 'folder.changed') return { status: 'error' };
  if (!data) return { status: error ? 'error' : 'loading' };
  if (!isComplete(data)) return { status: 'expired', expires_at: data.folder_expires_at };
  if (session.state === 'loading') return { status: 'loading' };
  const userId = userIdOf(session);
  const clockOffsetMs = Date.parse(data.server_time) - receivedAtMs;
  const role = roleOf(userId, data.folder_owner_profile_id);
  return { status: 'active', folder: data, role, userId, receivedAtMs, clockOffsetMs };
}
