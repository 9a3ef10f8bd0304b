import { useLingui } from '@lingui/react/macro';
import type { Profile } from '@satchel/contract/entities';
import { Star } from 'lucide-react';
import { useState } from 'react';
import { usePicture } from '../../lib/base/still-picture.ts';
import { Avatar } from '../../ui/base/avatar.tsx';
import { Badge } from '../../ui/states/badge.tsx';
import { accentHex, badgesOf, displayNameOf, HEADER_BADGE, usernameOf } from './profile-model.ts';

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

export function ProfileHeader({ profile }: { profile: Profile }) {
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
