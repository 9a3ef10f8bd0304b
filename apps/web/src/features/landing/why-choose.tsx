import { t } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { CalendarX2, EyeOff, HardDrive, UserRoundCheck } from 'lucide-react';
import { settings } from '../../lib/base/settings.ts';
import { hoursText, limitText } from '../../lib/texts/amounts.ts';
import { Cipher } from '../../ui/base/cipher.tsx';
import { Mark } from '../../ui/base/mark.tsx';
import { StitchRing } from '../../ui/base/stitch.tsx';

function smallCards() {
  const storage = limitText(settings.free_storage_bytes);
  const perFile = limitText(settings.max_file_bytes);
  const lifetime = hoursText(settings.folder_lifetime_hours);
  return [
    {
      Icon: HardDrive,
      title: t`${storage} free storage`,
      text: t`Every account gets it, for files of up to ${perFile} each. No card, no trial.`,
    },
    {
      Icon: EyeOff,
      title: t`No server-side scanning`,
      text: t`Encrypted files reach us as ciphertext. There is nothing to scan, index or train on.`,
    },
    {
      Icon: CalendarX2,
      title: t`Automatic deletion`,
      text: t`After ${lifetime} the files, and our half of the folder’s key, are removed for good.`,
    },
    {
      Icon: UserRoundCheck,
      title: t`No install for recipients`,
      text: t`They open a link. No bot, no app and no account needed.`,
    },
  ];
}

/** Remaining fraction of the example ring. */
const LEFT = 0.655;

const Encryption = () => (
  <article className="card grid overflow-hidden sm:col-span-2 sm:grid-cols-[1fr_1.15fr] lg:col-span-7">
    <div className="p-6">
      <h3 className="display text-xl">
        <Trans>End-to-end encryption</Trans>
      </h3>
      <p className="mt-2 text-sm text-muted">
        <Trans>
          Zero-knowledge: your browser seals each file before it leaves. What reaches us is noise, and the key stays in
          your link.
        </Trans>
      </p>
    </div>
    <div aria-hidden="true" className="relative m-4 grid min-h-44 grid-cols-2 overflow-hidden rounded-control sm:ml-0">
      <img
        src="/media/forest.webp"
        alt=""
        loading="lazy"
        className="absolute inset-y-0 left-0 h-full w-1/2 object-cover object-top"
        width={300}
        height={220}
      />
      <div className="relative col-start-2">
        <Cipher seed="forest" chars={700} />
      </div>
      <span className="absolute inset-y-0 left-1/2 w-0.5 -translate-x-1/2 bg-accent" />
      <span className="absolute top-1/2 left-1/2 grid size-12 -translate-1/2 place-items-center rounded-full bg-surface">
        <Mark sizePx={26} />
      </span>
      <span className="absolute bottom-2 left-2 rounded-chip bg-surface px-2 py-0.5 text-2xs text-muted">
        <Trans>Your browser</Trans>
      </span>
      <span className="absolute right-2 bottom-2 rounded-chip bg-surface px-2 py-0.5 text-2xs text-muted">
        <Trans>Our server</Trans>
      </span>
    </div>
  </article>
);

function Lifetime() {
  const { t } = useLingui();
  const lifetime = hoursText(settings.folder_lifetime_hours);
  const hours = Math.floor(settings.folder_lifetime_hours * LEFT);
  return (
    <article className="card flex items-center gap-6 p-6 sm:col-span-2 lg:col-span-5">
      <div className="flex-1">
        <h3 className="display text-xl">
          <Trans>Links last {lifetime}</Trans>
        </h3>
        <p className="mt-2 text-sm text-muted">
          {settings.folder_lifetime_hours === 24
            ? t`One stitch an hour. When the ring is undone, the folder is gone.`
            : t`When the ring is undone, the folder is gone.`}
        </p>
      </div>
      <StitchRing fraction={LEFT} sizePx={132}>
        {hours > 0 && (
          <span className="block text-center">
            <span className="display block text-xl leading-6 tabular">{t`${hours}h`}</span>
            <span className="block text-2xs text-subtle">
              <Trans>left</Trans>
            </span>
          </span>
        )}
      </StitchRing>
    </article>
  );
}

export function WhyChoose() {
  return (
    <section aria-labelledby="why" className="wrap pb-20">
      <h2 id="why" className="display text-3xl">
        <Trans>Why Choose Satchel</Trans>
      </h2>
      <div className="mt-8 grid gap-4 sm:grid-cols-2 lg:grid-cols-12">
        <Encryption />
        <Lifetime />
        {smallCards().map(({ Icon, title, text }) => (
          <article key={text} className="card p-6 lg:col-span-3">
            <Icon size={22} strokeWidth={1.75} className="text-accent-text" aria-hidden />
            <h3 className="mt-4 text-base font-semibold">{title}</h3>
            <p className="mt-1 text-sm text-muted">{text}</p>
          </article>
        ))}
      </div>
    </section>
  );
}
