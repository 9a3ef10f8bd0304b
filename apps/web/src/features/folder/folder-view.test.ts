import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import type { SessionState } from '../../account/session/session-state.ts';
import { folderView } from './folder-view.ts';

const OWNER = '0b0e2b5e-0000-4000-8000-000000000001';
const folder = {
  folder_id: '0b0e2b5e-0000-4000-8000-000000000002',
  folder_slug: 'abcdefghijklmnop',
  folder_owner_profile_id: OWNER,
  folder_expires_at: '2026-01-02T00:00:00Z',
  server_time: '2026-01-01T00:00:30Z',
} as FolderCompleteData;
const facts = { data: folder, error: null, receivedAtMs: Date.parse('2026-01-01T00:00:00Z') };
const out: SessionState = { state: 'out' };
const as = (id: string): SessionState => ({
  state: 'in',
  user: { id, email: null, created_at: '2026-01-01T00:00:00Z', user_metadata: { full_name: null, avatar_url: null } },
});

test('no role shows before both folder and session are loaded', () => {
  expect(folderView(facts, { state: 'loading' })).toEqual({ status: 'loading' });
  expect(folderView({ ...facts, data: undefined }, as(OWNER))).toEqual({ status: 'loading' });
});

test('the role follows from who is signed in', () => {
  expect(folderView(facts, as(OWNER))).toMatchObject({ status: 'active', role: 'owner', userId: OWNER });
  expect(folderView(facts, as('somebody-else'))).toMatchObject({ role: 'viewer' });
  expect(folderView(facts, out)).toMatchObject({ role: 'public', userId: null });
});

test('an expired folder shows its date, also before the session is loaded', () => {
  const data = { folder_slug: folder.folder_slug, folder_expires_at: folder.folder_expires_at };
  const view = { status: 'expired', expires_at: folder.folder_expires_at };
  expect(folderView({ ...facts, data }, { state: 'loading' })).toEqual(view);
});

test('a missing folder differs from one that failed to load', () => {
  const failed = (error: AppError) => folderView({ ...facts, data: undefined, error }, out).status;
  expect(failed(new AppError('folder.not_found'))).toBe('not_found');
  expect(failed(new AppError('folder.load_failed', { message: '503' }))).toBe('error');
});

test('a failed refresh keeps the page, unless the folder does not exist any more', () => {
  expect(folderView({ ...facts, error: new AppError('folder.load_failed') }, out).status).toBe('active');
  expect(folderView({ ...facts, error: new AppError('folder.not_found') }, out).status).toBe('not_found');
});

test('a folder that was taken down shows the reason, also on an open page', () => {
  const error = new AppError('folder.taken_down', { reason: 'Malware' });
  const view = { status: 'taken_down', reason: 'Malware' };
  expect(folderView({ ...facts, data: undefined, error }, { state: 'loading' })).toEqual(view);
  expect(folderView({ ...facts, error }, out)).toEqual(view);
});
