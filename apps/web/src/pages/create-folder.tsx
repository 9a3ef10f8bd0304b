import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { NewFolder } from '../features/create-folder/create-folder.ts';
import { CreateFolderForm } from '../features/create-folder/create-folder-form.tsx';
import { readPrefill } from '../features/create-folder/folder-draft.ts';
import { IntentForeign, IntentNote, IntentStuck } from '../features/create-folder/intent-states.tsx';
import { dropIntent, prefillOf, type UploadIntent } from '../features/create-folder/upload-intent.ts';
import { useUploadIntent } from '../features/create-folder/use-upload-intent.ts';
import { useWaitingFiles } from '../features/upload/use-waiting-files.ts';
import { WaitingPanel } from '../features/upload/waiting-panel.tsx';
import { hoursText } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { useOwnLimits } from '../lib/own-account.ts';
import { useSession } from '../lib/session.ts';
import { userIdOf } from '../lib/session-state.ts';
import { PageLoading, SignInNeeded } from '../ui/states.tsx';
import { leaveFiles } from './waiting-files.ts';

function CreateFolder({ userId, intent }: { userId: string; intent: UploadIntent }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search = useLocation({ select: (location): Readonly<Record<string, unknown>> => location.search });
  const { limits, isLoading } = useOwnLimits(userId);
  const waiting = useWaitingFiles(limits.max_file_bytes);
  const [isMade, setMade] = useState(false);
  const open = ({ folder, fragment }: NewFolder) => {
    setMade(true);
    dropIntent();
    const choice = waiting.choice();
    if (choice) leaveFiles(folder.slug, choice);
    void navigate({
      to: '/f/$slug',
      params: { slug: folder.slug },
      search: { upload: true },
      hash: fragment.replace(/^#/, ''),
    });
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
      <CreateFolderForm
        key={asked?.intent_id}
        userId={userId}
        limits={limits}
        prefill={asked ? prefillOf(asked, address, limits.folder_lifetime_hours) : address}
        intentId={asked?.intent_id ?? null}
        onCreated={open}
        zone={({ name, encrypt }) => (
          <WaitingPanel
            waiting={waiting}
            userId={userId}
            limits={limits}
            sealed={encrypt}
            folderName={name.trim()}
            closed={isMade}
          />
        )}
      />
    </div>
  );
}

/** /upload: makes a folder, then opens it with its upload zone (DESIGN R9). The bot's /upload links here. */
export function CreateFolderPage() {
  const { t } = useLingui();
  useTitle(t`Create a folder`);
  const session = useSession();
  const { intent, retry, dismiss } = useUploadIntent(userIdOf(session));
  if (session.state === 'loading') return <PageLoading title={t`Loading...`} />;
  if (session.state === 'out') {
    return (
      <SignInNeeded>
        {intent.step === 'none' ? (
          <Trans>Sign in to create a folder.</Trans>
        ) : (
          <Trans>Sign in to create a folder. Use the Discord account that you typed /upload with.</Trans>
        )}
      </SignInNeeded>
    );
  }
  if (intent.step === 'waiting') return <PageLoading title={t`Loading...`} />;
  if (intent.step === 'foreign') return <IntentForeign onDismiss={dismiss} />;
  if (intent.step === 'stuck') return <IntentStuck error={intent.error} onRetry={retry} />;
  return <CreateFolder userId={session.user.id} intent={intent} />;
}
