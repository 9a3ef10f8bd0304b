import { useLingui } from '@lingui/react/macro';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { cx } from '../../lib/base/class-names.ts';

// Dots stand beside a word on what is being done: that is to be read, so such a button does not fade.
const base =
  'relative inline-flex select-none items-center justify-center gap-2 whitespace-nowrap rounded-control font-medium transition-[background-color,color,box-shadow,transform] duration-150 active:translate-y-px disabled:pointer-events-none disabled:opacity-45 aria-disabled:not-has-[[role=status]]:opacity-45 focus-visible:rounded-control [&_svg]:shrink-0';
const tones = {
  primary: 'filled bg-accent text-accent-ink hover:bg-accent-hover shadow-[inset_0_1px_0_oklch(1_0_0/0.22)]',
  discord: 'filled bg-discord text-on-discord hover:bg-discord-hover shadow-[inset_0_1px_0_oklch(1_0_0/0.16)]',
  quiet: 'bg-raised text-ink shadow-[inset_0_0_0_1px_var(--line)] hover:bg-line',
  ghost: 'text-muted hover:bg-raised hover:text-ink',
  outline: 'text-ink shadow-[inset_0_0_0_1px_var(--edge)] hover:bg-raised',
  danger: 'filled bg-danger-fill text-on-danger hover:bg-danger-fill-hover',
  dangerSoft: 'bg-danger-soft text-danger hover:shadow-[inset_0_0_0_1px_var(--danger)]',
} as const;
const sizes = {
  sm: 'h-8 px-3 text-xs',
  md: 'h-9 px-3.5 text-sm',
  lg: 'h-11 px-5 text-sm',
  xl: 'h-13 px-6 text-base',
} as const;
const squares = { sm: 'size-8', md: 'size-9', lg: 'size-11', xl: 'size-13' } as const;

export type ButtonTone = keyof typeof tones;
export type ButtonSize = keyof typeof sizes;
interface Looks {
  tone?: ButtonTone | undefined;
  size?: ButtonSize | undefined;
  className?: string | undefined;
}
const classesOf = ({ tone = 'quiet', size = 'md', className }: Looks) =>
  cx('btn', base, tones[tone], sizes[size], className);

export const Button = ({
  tone,
  size,
  className,
  busy,
  ...rest
}: ComponentProps<'button'> & Looks & { busy?: boolean }) => (
  <button type="button" aria-busy={busy || undefined} className={classesOf({ tone, size, className })} {...rest} />
);

/** A link to another site that looks like a button. */
export const AnchorButton = ({ tone, size, className, children, ...rest }: ComponentProps<'a'> & Looks) => (
  <a className={classesOf({ tone, size, className })} {...rest}>
    {children}
  </a>
);
/** A link to a page of this site that looks like a button. */
export const LinkButton = createLink(AnchorButton);

type IconButtonProps = ComponentProps<'button'> & Looks & { label: string };

/** Square button with an icon only; `label` is its accessible name and tooltip. */
export function IconButton({ label, size = 'md', tone = 'ghost', className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cx('btn', base, tones[tone], squares[size], 'px-0', className)}
      {...rest}
    />
  );
}

const DOTS = [0, 140, 280];

/** Three loading dots; `label` is what a screen reader says. */
export function Dots({ label }: { label?: string }) {
  const { t } = useLingui();
  return (
    <span role="status" className="inline-flex items-center gap-1">
      <span className="sr-only">{label ?? t`Loading`}</span>
      {DOTS.map((delayMs) => (
        <span
          key={delayMs}
          className="size-1.5 animate-dot rounded-full bg-current opacity-70"
          style={{ animationDelay: `${delayMs}ms` }}
        />
      ))}
    </span>
  );
}
