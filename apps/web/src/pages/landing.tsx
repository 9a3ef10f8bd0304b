import { Closing, Footer } from '../features/landing/closing.tsx';
import { Commands } from '../features/landing/commands.tsx';
import { Hero } from '../features/landing/hero.tsx';
import { HowItWorks } from '../features/landing/how-it-works.tsx';
import { Privacy } from '../features/landing/privacy.tsx';
import { WhyChoose } from '../features/landing/why-choose.tsx';
import { useTitle } from '../lib/hooks.ts';

export function LandingPage() {
  useTitle('');
  return (
    <>
      <Hero />
      <HowItWorks />
      <Commands />
      <WhyChoose />
      <Privacy />
      <Closing />
      <Footer />
    </>
  );
}
