import { ChevronDown } from 'lucide-react';
import { Switch as RadixSwitch } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { cx } from '../../lib/base/class-names.ts';

/** How a text control looks. */
export const control =
  'w-full rounded-control bg-field px-3 text-sm text-ink shadow-[inset_0_0_0_1px_var(--edge)] placeholder:text-subtle hover:shadow-[inset_0_0_0_1px_var(--subtle)] focus-visible:rounded-control focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-focus aria-invalid:shadow-[inset_0_0_0_1px_var(--danger)] disabled:opacity-50';

export interface FieldText {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
}

interface FieldFrameProps extends FieldText {
  className?: string | undefined;
  /** The control, with what ties it to the frame's texts. */
  children: (described: { id: string; 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode;
}

/** Label, control, and below it the hint or what is wrong. */
export function FieldFrame({ label, hint, error, className, children }: FieldFrameProps) {
  const id = useId();
  const textId = `${id}-d`;
  const text = error || hint;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-xs font-medium text-muted">
        {label}
      </label>
      {children({ id, ...(error && { 'aria-invalid': true }), ...(text && { 'aria-describedby': textId }) })}
      {text && (
        <p id={textId} className={cx('mt-1.5 text-2xs', error ? 'text-danger' : 'text-subtle')}>
          {text}
        </p>
      )}
    </div>
  );
}

export const TextField = ({ label, hint, error, className, ...rest }: ComponentProps<'input'> & FieldText) => (
  <FieldFrame label={label} hint={hint} error={error} className={className}>
    {(described) => <input {...described} className={cx('field', control, 'h-10')} {...rest} />}
  </FieldFrame>
);

export const TextArea = ({ label, hint, error, className, ...rest }: ComponentProps<'textarea'> & FieldText) => (
  <FieldFrame label={label} hint={hint} error={error} className={className}>
    {(described) => <textarea {...described} className={cx('field', control, 'min-h-20 resize-y py-2.5')} {...rest} />}
  </FieldFrame>
);

/** The browser's own select (native first). */
export const SelectField = ({ label, hint, error, className, ...rest }: ComponentProps<'select'> & FieldText) => (
  <FieldFrame label={label} hint={hint} error={error} className={className}>
    {(described) => (
      <div className="relative">
        <select {...described} className={cx('field', control, 'h-10 appearance-none pr-9')} {...rest} />
        <ChevronDown
          size={16}
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-3 my-auto text-muted"
        />
      </div>
    )}
  </FieldFrame>
);

interface SwitchProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
}

export function Switch({ label, hint, checked, onCheckedChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="text-sm font-medium text-ink">
          {label}
        </label>
        {hint && (
          <p id={`${id}-d`} className="mt-0.5 text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        aria-describedby={hint ? `${id}-d` : undefined}
        checked={checked}
        onCheckedChange={onCheckedChange}
        className="switch relative mt-0.5 h-6 w-10 shrink-0 rounded-full bg-raised shadow-[inset_0_0_0_1.5px_var(--edge)] transition-colors duration-150 focus-visible:rounded-full data-[state=checked]:bg-accent data-[state=checked]:shadow-none"
      >
        <RadixSwitch.Thumb className="switch-thumb block size-4 translate-x-1 rounded-full bg-subtle transition-transform duration-150 ease-out data-[state=checked]:translate-x-5 data-[state=checked]:bg-accent-ink" />
      </RadixSwitch.Root>
    </div>
  );
}
