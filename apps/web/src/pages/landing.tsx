import { Trans, useLingui } from '@lingui/react/macro';
import { AddToDiscord, GetStarted } from '../features/landing/add-to-discord.tsx';
import { Commands } from '../features/landing/commands.tsx';
import { Hero } from '../features/landing/hero.tsx';
import { HowItWorks } from '../features/landing/how-it-works.tsx';
import { Privacy } from '../features/landing/privacy.tsx';
import { WhyChoose } from '../features/landing/why-choose.tsx';
import { useTitle } from '../lib/base/page-hooks.ts';
import { settings } from '../lib/base/settings.ts';
import { StitchFrame } from '../ui/base/stitch.tsx';

const Closing = () => (
  <section aria-labelledby="cta" className="wrap py-20">
    <div className="relative grid justify-items-center rounded-panel bg-accent-soft px-6 py-16 text-center">
      <StitchFrame tone="stitch" radiusPx={14} insetPx={8} />
      <h2 id="cta" className="display text-3xl sm:text-4xl">
        <Trans>Your next folder is one command away</Trans>
      </h2>
      <p className="mt-3 max-w-md text-base text-muted">
        <Trans>Free, no card, nothing to install for the people you share with.</Trans>
      </p>
      <div className="mt-8">{settings.add_to_discord_url ? <AddToDiscord /> : <GetStarted />}</div>
    </div>
  </section>
);

export function LandingPage() {
  const { t } = useLingui();
  useTitle(t`Encrypted folders for Discord`);
  return (
    <>
      <Hero />
      <HowItWorks />
      <Commands />
      <WhyChoose />
      <Privacy />
      <Closing />
    </>
  );
}
