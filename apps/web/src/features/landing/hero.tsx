import { Trans, useLingui } from '@lingui/react/macro';
import { settings } from '../../lib/base/settings.ts';
import { hoursText, limitText } from '../../lib/texts/amounts.ts';
import { WhoRunsThis } from '../../ui/base/who-runs-this.tsx';
import { AddToDiscord, GetStarted } from './add-to-discord.tsx';
import { HeroScene } from './hero-scene.tsx';

function Pitch() {
  const { t } = useLingui();
  const end = settings.folder_lifetime_hours <= 24 ? t`Gone tomorrow.` : t`Then gone.`;
  const lifetime = hoursText(settings.folder_lifetime_hours);
  return (
    <>
      <h1 className="display text-4xl sm:text-5xl">
        <Trans>
          Pack it.
          <br />
          Share it.
          <br />
          <span className="text-accent-text">{end}</span>
        </Trans>
      </h1>
      <p className="mt-6 max-w-[30rem] text-lg text-muted">
        <Trans>
          Encrypted folders for Discord. Type{' '}
          <code className="whitespace-nowrap rounded-chip bg-accent-soft px-1.5 py-0.5 font-mono text-[0.86em] text-accent-text">
            /upload
          </code>
          , drop your files, and send one short link. After {lifetime} it deletes itself.
        </Trans>
      </p>
    </>
  );
}

function Facts() {
  const { t } = useLingui();
  const facts = [
    { value: limitText(settings.free_storage_bytes), name: t`free storage` },
    { value: limitText(settings.max_file_bytes), name: t`per file` },
    { value: hoursText(settings.folder_lifetime_hours), name: t`link lifetime` },
  ];
  return (
    <dl className="mt-10 grid max-w-[30rem] grid-cols-3 gap-4 border-t border-line pt-5">
      {facts.map(({ value, name }) => (
        <div key={name} className="flex flex-col-reverse justify-end">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="display text-lg sm:text-xl">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export const Hero = () => (
  <section className="wrap grid items-center gap-14 pt-12 pb-20 lg:grid-cols-[1fr_1.02fr] lg:gap-16 lg:pt-20 lg:pb-28">
    <div>
      <Pitch />
      <div className="mt-8 flex flex-col gap-3 sm:flex-row">
        <AddToDiscord />
        <GetStarted />
      </div>
      <WhoRunsThis className="mt-5" />
      <Facts />
    </div>
    <HeroScene />
  </section>
);
