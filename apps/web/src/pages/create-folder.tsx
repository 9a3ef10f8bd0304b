import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { CreateFolderForm } from '../features/create-folder/create-folder-form.tsx';
import { readPrefill } from '../features/create-folder/folder-draft.ts';
import { hoursText } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { useOwnLimits } from '../lib/own-account.ts';
import { useSession } from '../lib/session.ts';
import { PageLoading, SignInNeeded } from '../ui/states.tsx';

function CreateFolder({ userId }: { userId: string }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search = useLocation({ select: (location): Readonly<Record<string, unknown>> => location.search });
  const { limits, isLoading } = useOwnLimits(userId);
  if (isLoading) return <PageLoading title={t`Loading...`} />;
  const life = hoursText(limits.folder_lifetime_hours);
  return (
    <div className="wrap pt-8 pb-20">
      <h1 className="display text-3xl">
        <Trans>Create a folder</Trans>
      </h1>
      <p className="mt-1 text-sm text-muted">
        <Trans>Your files come next. A folder lives for at most {life}, then deletes itself.</Trans>
      </p>
      <CreateFolderForm
        userId={userId}
        limits={limits}
        prefill={readPrefill(search, limits.folder_lifetime_hours)}
        onCreated={({ folder, fragment }) =>
          void navigate({
            to: '/f/$slug',
            params: { slug: folder.slug },
            search: { upload: true },
            hash: fragment.replace(/^#/, ''),
          })
        }
      />
    </div>
  );
}

/** /upload: makes a folder, then opens it with its upload zone (DESIGN R9). The bot's /upload links here. */
export function CreateFolderPage() {
  const { t } = useLingui();
  useTitle(t`Create a folder`);
  const session = useSession();
  if (session.state === 'loading') return <PageLoading title={t`Loading...`} />;
  if (session.state === 'out') {
    return (
      <SignInNeeded>
        <Trans>Sign in to create a folder.</Trans>
      </SignInNeeded>
    );
  }
  return <CreateFolder userId={session.user.id} />;
}
