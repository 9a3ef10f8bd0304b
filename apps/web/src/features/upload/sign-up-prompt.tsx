import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Spot } from '../../ui/spot.tsx';
import { StitchFrame } from '../../ui/stitch.tsx';

/** What a signed-out visitor sees in place of the upload zone (§2). */
export const SignUpPrompt = () => (
  <section
    aria-label="Create your own folders"
    className="relative flex flex-wrap items-center gap-5 rounded-card bg-accent-soft p-6"
  >
    <StitchFrame tone="stitch" insetPx={6} radiusPx={10} />
    <Spot pose="closed" sizePx={74} />
    <div className="min-w-52 flex-1">
      <h2 className="display text-lg">Sign up to create your own folders</h2>
      <p className="mt-0.5 text-sm text-muted">Upload files, share folders, and manage your content</p>
    </div>
    <Button asChild tone="primary" size="lg">
      <Link to="/auth">Get Started Free</Link>
    </Button>
  </section>
);
