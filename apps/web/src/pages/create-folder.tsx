import { useNavigate } from '@tanstack/react-router';
import { CreateFolderForm } from '../features/create-folder/create-folder-form.tsx';
import { hoursText } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { useSession } from '../lib/session.ts';
import { settings } from '../lib/settings.ts';
import { PageLoading, SignInNeeded } from '../ui/states.tsx';

/** /upload: makes a folder, then opens it with its upload zone (DESIGN R9). */
export function CreateFolderPage() {
  useTitle('Create a folder');
  const session = useSession();
  const navigate = useNavigate();
  if (session.state === 'loading') return <PageLoading title="Loading..." />;
  if (session.state === 'out') return <SignInNeeded>Sign in to create a folder.</SignInNeeded>;
  return (
    <div className="wrap pt-8 pb-20">
      <h1 className="display text-3xl">Create a folder</h1>
      <p className="mt-1 text-sm text-muted">
        Your files come next. A folder lives for at most {hoursText(settings.folder_lifetime_hours)}, then deletes
        itself.
      </p>
      <CreateFolderForm
        userId={session.user.id}
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
