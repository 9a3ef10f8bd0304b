import { Trans, useLingui } from '@lingui/react/macro';
import { LinkButton } from '../../ui/base/button.tsx';
import { Mark } from '../../ui/base/mark.tsx';
import { StitchFrame } from '../../ui/base/stitch.tsx';

/** Shown to signed-out visitors instead of the upload zone (§2). */
export function SignUpPrompt() {
  const { t } = useLingui();
  return (
    <section
      aria-label={t`Create your own folders`}
      className="relative flex flex-wrap items-center gap-5 rounded-card bg-accent-soft p-6"
    >
      <StitchFrame tone="stitch" insetPx={6} radiusPx={10} />
      <Mark sizePx={64} />
      <div className="min-w-52 flex-1">
        <h2 className="display text-lg">
          <Trans>Sign up to create your own folders</Trans>
        </h2>
        <p className="mt-0.5 text-sm text-muted">
          <Trans>Upload files, share folders, and manage your content</Trans>
        </p>
      </div>
      <LinkButton to="/auth" tone="outline" size="lg">
        <Trans>Get Started Free</Trans>
      </LinkButton>
    </section>
  );
}
