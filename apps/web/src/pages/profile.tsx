import type { User } from '@satchel/contract/entities';
import { useEffect } from 'react';
import { MyFolders } from '../features/profile/my-folders.tsx';
import { ProfileFacts } from '../features/profile/profile-facts.tsx';
import { ProfileHeader } from '../features/profile/profile-header.tsx';
import { useTitle } from '../lib/hooks.ts';
import { useOwnFolders, useOwnProfile } from '../lib/own-account.ts';
import { useSession } from '../lib/session.ts';
import { Button } from '../ui/button.tsx';
import { HomeButton, PageLoading, PageState, SignInNeeded } from '../ui/states.tsx';

function SignedInProfile({ user }: { user: User }) {
  const profile = useOwnProfile(user.id);
  const folders = useOwnFolders(user.id);
  useEffect(() => {
    // §8: a folders error is logged; the page around the list stays.
    if (folders.error) console.warn(`Folders could not be loaded: ${folders.error.message}`);
  }, [folders.error]);
  if (profile.isPending) return <PageLoading title="Loading profile..." />;
  if (!profile.data) {
    return (
      <PageState
        pose="error"
        title="Error Loading Profile"
        actions={
          <>
            <Button tone="primary" size="lg" onClick={() => void profile.refetch()}>
              Try Again
            </Button>
            <HomeButton tone="quiet" />
          </>
        }
      >
        {profile.error?.message}
      </PageState>
    );
  }
  return (
    <div className="pb-20">
      <ProfileHeader profile={profile.data} />
      <div className="wrap mt-8 grid grid-cols-1 gap-6 lg:grid-cols-[20rem_1fr]">
        <div className="min-w-0 lg:col-start-2 lg:row-start-1">
          <MyFolders
            userId={user.id}
            folders={folders.data}
            failed={folders.isError && !folders.data}
            onRetry={() => void folders.refetch()}
          />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-start-1">
          <ProfileFacts profile={profile.data} email={user.email} />
        </div>
      </div>
    </div>
  );
}

export function ProfilePage() {
  useTitle('Profile');
  const session = useSession();
  if (session.state === 'loading') return <PageLoading title="Loading profile..." />;
  if (session.state === 'out') {
    return <SignInNeeded>Sign in to see your profile and your folders.</SignInNeeded>;
  }
  return <SignedInProfile user={session.user} />;
}
