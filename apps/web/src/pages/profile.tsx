import { Trans, useLingui } from '@lingui/react/macro';
import type { Profile, User } from '@satchel/contract/entities';
import { toAppError } from '@satchel/contract/errors';
import { Star } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { refreshOwnAccount, useOwnFolders, useOwnProfile } from '../account/own-data/own-account.ts';
import { endSession, useSession } from '../account/session/session.ts';
import { uploadActivity } from '../engine/uploads/upload-activity.ts';
import { CommandLineCard } from '../features/profile/command-line-card.tsx';
import { MyFolders } from '../features/profile/my-folders.tsx';
import { OwnData } from '../features/profile/own-data.tsx';
import { ProfileFacts } from '../features/profile/profile-facts.tsx';
import { accentHex, badgesOf, displayNameOf, HEADER_BADGE, usernameOf } from '../features/profile/profile-model.ts';
import { SessionsCard } from '../features/profile/sessions-card.tsx';
import { useStore } from '../lib/base/page-hooks.ts';
import { usePicture } from '../lib/base/still-picture.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { errorText } from '../lib/texts/error-text.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { Avatar } from '../ui/base/avatar.tsx';
import { LinkButton } from '../ui/base/button.tsx';
import { PageFailed } from '../ui/sections/page-failed.tsx';
import { Badge } from '../ui/states/badge.tsx';
import { HomeButton, PageLoading, PageState, SignInNeeded } from '../ui/states/states.tsx';

const QUIET = 'linear-gradient(100deg, var(--accent-soft), var(--info-soft))';

/** The banner picture, else the accent colour, else a neutral background. Decorative. */
function ProfileBanner({ profile }: { profile: Profile }) {
  const [broken, setBroken] = useState(false);
  const bannerUrl = usePicture(profile.banner_url);
  const { accent_color: accentColor } = profile;
  const background = accentColor === null ? QUIET : accentHex(accentColor);
  return (
    <div className="h-36 overflow-hidden sm:h-48" style={{ background }}>
      {bannerUrl && !broken && (
        <img src={bannerUrl} alt="" className="size-full object-cover" onError={() => setBroken(true)} />
      )}
    </div>
  );
}

function ProfileHeader({ profile }: { profile: Profile }) {
  const { t } = useLingui();
  const name = displayNameOf(profile);
  return (
    <>
      <ProfileBanner profile={profile} />
      <header className="wrap -mt-11 flex items-start gap-x-5">
        <span className="rounded-full bg-canvas p-1.5">
          <Avatar name={name} url={profile.avatar_url} sizePx={92} />
        </span>
        {/* Below the banner, however many lines the name takes: the contrast over a picture is unknown. */}
        <div className="min-w-0 flex-1 pt-13 pb-1">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h1 className="display text-2xl wrap-anywhere">{name}</h1>
            {badgesOf(profile.discord_public_flags).includes(HEADER_BADGE) && (
              <Badge tone="accent" icon={<Star size={13} aria-hidden />}>
                {t(HEADER_BADGE.label)}
              </Badge>
            )}
          </div>
          <p className="text-sm text-muted wrap-anywhere">{usernameOf(profile)}</p>
        </div>
      </header>
    </>
  );
}

const OpenUploadsCard = lazyPart(
  () => import('../features/profile/open-uploads-card.tsx'),
  'OpenUploadsCard',
  'account',
);

/** The account is deleted on the server; also states whether this device's data is deleted. */
function Erased({ isDeviceClean }: { isDeviceClean: boolean }) {
  const { t } = useLingui();
  return (
    <PageState pose="closed" title={t`Your data is erased`} actions={<HomeButton />}>
      <p>
        <Trans>Our server keeps nothing of your account, your folders or your files. You are signed out.</Trans>
      </p>
      {isDeviceClean ? (
        <p className="mt-2">
          <Trans>This device has forgotten your folder keys, too.</Trans>
        </p>
      ) : (
        <p role="alert" className="mt-2 text-danger">
          <Trans>
            The folder keys on this device could not be erased. They open nothing any more; to remove them, clear this
            site’s data in your browser’s settings.
          </Trans>
        </p>
      )}
    </PageState>
  );
}

interface SignedInProfileProps {
  user: User;
  onErased: (isDeviceClean: boolean) => void;
}

function SignedInProfile({ user, onErased }: SignedInProfileProps) {
  const { t } = useLingui();
  const profile = useOwnProfile(user.id);
  const folders = useOwnFolders(user.id);
  useEffect(() => {
    // A folders error is logged; the page around the list stays.
    if (folders.error) console.warn(`Folders could not be loaded: ${folders.error.message}`);
  }, [folders.error]);
  const uploading = useStore(uploadActivity).filter(({ isBusy }) => isBusy).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded again when the uploads of a folder begin or end
  useEffect(() => () => void refreshOwnAccount(user.id), [user.id, uploading]);
  if (profile.isPending) return <PageLoading title={t`Loading profile...`} />;
  if (!profile.data) {
    return (
      <PageFailed title={t`Error Loading Profile`} onRetry={() => void profile.refetch()}>
        {profile.error && errorText(toAppError(profile.error))}
      </PageFailed>
    );
  }
  return (
    <div className="pb-20">
      <ProfileHeader profile={profile.data} />
      <div className="wrap mt-8 grid grid-cols-1 gap-6 lg:grid-cols-[20rem_1fr] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0 lg:col-start-2 lg:row-start-1">
          <MyFolders
            userId={user.id}
            folders={folders.data}
            failed={folders.isError && !folders.data}
            onRetry={() => void folders.refetch()}
          />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <ProfileFacts profile={profile.data} email={user.email} />
          {profile.data.is_operator && (
            <LinkButton to="/$slug" params={{ slug: 'operator' }} className="mt-4 w-full">
              <Trans>Operator</Trans>
            </LinkButton>
          )}
        </div>
        <div className="grid min-w-0 grid-cols-1 content-start gap-4 lg:col-start-2 lg:row-start-2">
          {/* Reserved bytes belong to open uploads: with none reserved, there is no open upload. */}
          {profile.data.reserved_bytes > 0 && (
            <Suspense>
              <OpenUploadsCard userId={user.id} />
            </Suspense>
          )}
          <SessionsCard userId={user.id} />
          <CommandLineCard />
          <OwnData folderCount={folders.data?.length ?? 0} onErased={onErased} />
        </div>
      </div>
    </div>
  );
}

export function ProfilePage() {
  const { t } = useLingui();
  useTitle(t`Profile`);
  const session = useSession();
  const [isDeviceClean, setDeviceClean] = useState<boolean | null>(null);
  const onErased = (isClean: boolean) => {
    setDeviceClean(isClean);
    endSession();
  };
  if (isDeviceClean !== null) return <Erased isDeviceClean={isDeviceClean} />;
  if (session.state === 'loading') return <PageLoading title={t`Loading profile...`} />;
  if (session.state === 'out') {
    return (
      <SignInNeeded>
        <Trans>Sign in to see your profile and your folders.</Trans>
      </SignInNeeded>
    );
  }
  return <SignedInProfile user={session.user} onErased={onErased} />;
}
