import { Trans, useLingui } from '@lingui/react/macro';
import type { Choice } from '@satchel/client/send/order';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, useRef, useState } from 'react';
import { useOwnLimits } from '../account/own-data/own-account.ts';
import { useSession } from '../account/session/session.ts';
import { userIdOf } from '../account/session/session-state.ts';
import type { UploadPlace } from '../engine/uploads/upload-target.ts';
import type { NewFolder } from '../features/create-folder/create-folder.ts';
import { CreateFolderForm } from '../features/create-folder/create-folder-form.tsx';
import { readPrefill } from '../features/create-folder/folder-draft.ts';
import { IntentForeign, IntentNote, IntentStuck } from '../features/create-folder/intent-states.tsx';
import { deleteIntent, prefillOf, type UploadIntent } from '../features/create-folder/upload-intent.ts';
import { useUploadIntent } from '../features/create-folder/use-upload-intent.ts';
import { HandoffPanel } from '../features/upload/handoff-panel.tsx';
import { LeaveFormQuestion } from '../features/upload/leave-form-question.tsx';
import { uploads } from '../features/upload/page-uploads.ts';
import { useHandoffFiles } from '../features/upload/use-handoff-files.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { hoursText } from '../lib/figures/format.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { PageLoading } from '../ui/states/states.tsx';

const SignIn = lazyPart(() => import('../features/auth/sign-in.tsx'), 'SignIn', 'account');

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
  const open = ({ folder, fragment }: NewFolder) => {
    setMade(true);
    deleteIntent();
    const choice = handoff.choice();
    const { id: folderId, slug, name } = folder;
    const hash = fragment.replace(/^#/, '');
    made.current = { folderId, slug, name: name ?? '', hash, userId };
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

/** /upload: creates a folder, then opens it with its upload zone (DESIGN R9). The bot's /upload links here. */
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
