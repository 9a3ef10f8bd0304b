import { useLingui } from '@lingui/react/macro';
import { Closing } from '../features/landing/closing.tsx';
import { Commands } from '../features/landing/commands.tsx';
import { Hero } from '../features/landing/hero.tsx';
import { HowItWorks } from '../features/landing/how-it-works.tsx';
import { Privacy } from '../features/landing/privacy.tsx';
import { WhyChoose } from '../features/landing/why-choose.tsx';
import { useTitle } from '../lib/base/page-hooks.ts';

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
