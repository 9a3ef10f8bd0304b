import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { StitchFrame } from '../../ui/base/stitch.tsx';

const steps = [
  { title: msg`Add the bot`, text: msg`One click puts Satchel in your server or your own account.` },
  { title: msg`Choose DM or server`, text: msg`It works in private messages just as well as in a channel.` },
  { title: msg`Type /upload`, text: msg`Satchel answers with a link to a fresh folder.` },
  { title: msg`Log in with Discord`, text: msg`OAuth2 in your browser. No new password.` },
  { title: msg`Upload and share`, text: msg`Drop your files, then send one short link.` },
];

/** A strap with five punched holes; vertical on small screens. */
const Strap = () => (
  <div aria-hidden="true" className="absolute max-lg:inset-y-0 max-lg:left-0 max-lg:w-14 lg:inset-x-0 lg:top-0 lg:h-14">
    <span className="relative block size-full rounded-full bg-accent-soft">
      <StitchFrame tone="stitch" radiusPx={24} insetPx={5} />
    </span>
    <svg
      width="46"
      height="84"
      viewBox="0 0 46 84"
      fill="none"
      aria-hidden="true"
      className="absolute top-1/2 -right-2 -translate-y-1/2 overflow-visible max-lg:hidden"
    >
      <rect x="5" y="4" width="34" height="76" rx="13" stroke="var(--accent)" strokeWidth="6" />
      <path d="M38 42H-12" stroke="var(--stitch)" strokeWidth="6" strokeLinecap="round" />
    </svg>
  </div>
);

export function HowItWorks() {
  const { t } = useLingui();
  return (
    <section aria-labelledby="how" className="border-y border-line/60 bg-sunken py-20">
      <div className="wrap">
        <h2 id="how" className="display text-3xl">
          <Trans>How It Works</Trans>
        </h2>
        <div className="relative mt-10">
          <Strap />
          <ol className="relative grid gap-y-7 lg:grid-cols-5 lg:gap-x-6">
            {steps.map(({ title, text }, position) => (
              <li key={title.id} className="grid grid-cols-[3.5rem_1fr] items-start gap-4 lg:block">
                <span className="grid h-14 place-items-center lg:w-14">
                  <span className="grid size-8 place-items-center rounded-full bg-sunken text-sm font-semibold text-accent-text tabular shadow-[inset_0_1px_3px_oklch(0_0_0/0.35)]">
                    {position + 1}
                  </span>
                </span>
                <div className="pt-2 lg:pt-5 lg:pl-3">
                  <h3 className="text-base font-semibold">{t(title)}</h3>
                  <p className="mt-1 text-sm text-muted">{t(text)}</p>
                </div>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </section>
  );
}
