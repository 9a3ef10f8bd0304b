import { Trans, useLingui } from '@lingui/react/macro';
import { completeData } from '@satchel/client/folders/complete-data';
import type { NewFolder } from '@satchel/client/folders/create-folder';
import type { Choice } from '@satchel/client/send/order';
import type { FolderCompleteData, ProfileOutput } from '@satchel/contract/api';
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { ownProfileKey, useOwnLimits } from '../account/own-data/own-account.ts';
import { queryClient } from '../account/session/query-client.ts';
import { useSession } from '../account/session/session.ts';
import { userIdOf } from '../account/session/session-state.ts';
import type { UploadPlace } from '../engine/uploads/upload-target.ts';
import { CreateFolderForm } from '../features/create-folder/create-folder-form.tsx';
import { readPrefill } from '../features/create-folder/folder-draft.ts';
import { IntentForeign, IntentNote, IntentStuck } from '../features/create-folder/intent-states.tsx';
import { deleteIntent, prefillOf, type UploadIntent } from '../features/create-folder/upload-intent.ts';
import { useUploadIntent } from '../features/create-folder/use-upload-intent.ts';
import { folderQueryKey } from '../features/folder/use-folder.ts';
import { HandoffPanel } from '../features/upload/handoff-panel.tsx';
import { LeaveFormQuestion } from '../features/upload/leave-form-question.tsx';
import { uploads } from '../features/upload/page-uploads.ts';
import { useHandoffFiles } from '../features/upload/use-handoff-files.ts';
import { serverNowMs } from '../lib/api/server-clock.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { whenIdle } from '../lib/browser/when-idle.ts';
import { unnamedTitle } from '../lib/figures/folder-title.ts';
import { hoursText } from '../lib/figures/format.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { PageLoading } from '../ui/states/states.tsx';

const SignIn = lazyPart(() => import('../features/auth/sign-in.tsx'), 'SignIn', 'account');

/** The new folder's page shows what is known of it at once, and asks the server for the rest. */
function showAtOnce({ folder, temp_key_info: key, needsPassphrase }: NewFolder, userId: string): void {
  const { is_direct: _, ...data } = completeData(folder, serverNowMs());
  const owner = queryClient.getQueryData<ProfileOutput>(ownProfileKey(userId));
  queryClient.setQueryData<FolderCompleteData>(folderQueryKey(folder.slug), {
    ...data,
    owner_discord_username: owner?.discord_username ?? null,
    owner_discord_global_name: owner?.discord_global_name ?? null,
    owner_avatar_url: owner?.avatar_url ?? null,
    temp_key_api_token: key?.api_token ?? null,
    temp_key_created_at: key?.created_at ?? null,
    temp_key_expires_at: key?.expires_at ?? null,
    temp_key_passphrase: needsPassphrase,
  });
}

/** The code of the folder's page comes while the form is filled in. */
function useFolderPageCode(): void {
  const router = useRouter();
  useEffect(() => {
    void whenIdle().then(() => router.preloadRoute({ to: '/f/$slug', params: { slug: 'new' } }));
  }, [router]);
}

function CreateFolder({ userId, intent }: { userId: string; intent: UploadIntent }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search = useLocation({ select: (location): Readonly<Record<string, unknown>> => location.search });
  const { limits, isLoading } = useOwnLimits(userId);
  const handoff = useHandoffFiles(limits.max_file_bytes);
  const [isMade, setMade] = useState(false);
  const made = useRef<UploadPlace | null>(null);
  /** What is dropped or read late goes to the queue of the folder, whose page is loading then. */
  const add = (choice: Choice, sealed: boolean) =>
    made.current ? uploads.add(made.current, choice) : handoff.add(choice, sealed);
  useFolderPageCode();
  const open = (created: NewFolder) => {
    const { folder, fragment } = created;
    setMade(true);
    showAtOnce(created, userId);
    deleteIntent();
    const choice = handoff.choice();
    const { id: folderId, slug } = folder;
    const hash = fragment.replace(/^#/, '');
    made.current = { folderId, slug, name: folder.name || unnamedTitle(folder.created_at), hash, userId };
    if (choice) uploads.send(made.current, choice);
    void navigate({ to: '/f/$slug', params: { slug }, search: { upload: true }, hash, ignoreBlocker: true });
  };
  if (isLoading) return <PageLoading title={t`Loading...`} />;
  const life = hoursText(limits.folder_lifetime_hours);
  const asked = intent.step === 'asked' ? intent.asked : null;
  const address = readPrefill(search, limits.folder_lifetime_hours);
  return (
    <div className="wrap pt-8 pb-20">
      <h1 className="display text-3xl">
        <Trans>Create a folder</Trans>
      </h1>
      <p className="mt-1 text-sm text-muted">
        <Trans>It lives for at most {life}, then deletes itself.</Trans>
      </p>
      <IntentNote intent={intent} />
      <LeaveFormQuestion count={isMade ? 0 : handoff.items.length} />
      <CreateFolderForm
        key={asked?.intent_id}
        userId={userId}
        limits={limits}
        prefill={asked ? prefillOf(asked, address, limits.folder_lifetime_hours) : address}
        intentId={asked?.intent_id ?? null}
        onCreated={open}
        zone={({ name, linkMode }) => (
          <HandoffPanel
            handoff={handoff}
            onFiles={(choice) => add(choice, linkMode !== 'plain')}
            userId={userId}
            limits={limits}
            sealed={linkMode !== 'plain'}
            folderName={name.trim()}
            closed={isMade}
            shared={search.shared}
          />
        )}
      />
    </div>
  );
}

/** /upload: creates a folder, then opens it with its upload zone. The bot's /upload links here. */
export function CreateFolderPage() {
  const { t } = useLingui();
  useTitle(t`Create a folder`);
  const session = useSession();
  const address = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  const { intent, retry, dismiss } = useUploadIntent(userIdOf(session));
  if (session.state === 'loading') return <PageLoading title={t`Loading...`} />;
  if (session.state === 'out') {
    return (
      <div className="wrap grid min-h-[calc(100dvh-12rem)] place-items-center py-12">
        <div className="w-full max-w-[400px]">
          <Suspense fallback={<PageLoading title={t`Loading...`} />}>
            <SignIn title={t`Sign in to create a folder`} returnTo={address}>
              {intent.step !== 'none' && <Trans>Use the Discord account that you typed /upload with.</Trans>}
            </SignIn>
          </Suspense>
        </div>
      </div>
    );
  }
  if (intent.step === 'waiting') return <PageLoading title={t`Loading...`} />;
  if (intent.step === 'foreign') return <IntentForeign onDismiss={dismiss} />;
  if (intent.step === 'stuck') return <IntentStuck error={intent.error} onRetry={retry} />;
  return <CreateFolder userId={session.user.id} intent={intent} />;
}
