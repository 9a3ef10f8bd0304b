import { type ReactNode, useId } from 'react';
import { cx } from '../../lib/base/class-names.ts';

export interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** One line below the label; read out with the option. */
  readonly hint: ReactNode;
  readonly disabled?: boolean;
  /** Shown below the option while it is chosen. */
  readonly extra?: ReactNode;
}

interface RadioGroupProps<Value extends string> {
  /** The question. */
  label: ReactNode;
  options: readonly RadioOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** One question, and one answer of a few. The browser's own radio buttons: arrow keys choose, and Tab leaves. */
export function RadioGroup<Value extends string>({ label, options, value, onChange }: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-sm font-medium text-ink">{label}</legend>
      <div className="grid gap-2">
        {options.map((option) => {
          const id = `${name}-${option.value}`;
          const isChosen = option.value === value;
          return (
            <div
              key={option.value}
              className={cx(
                'option rounded-control transition-shadow duration-150 has-[>div>input:focus-visible]:outline-2 has-[>div>input:focus-visible]:outline-focus has-[>div>input:focus-visible]:outline-offset-2',
                isChosen ? 'shadow-[0_0_0_1.5px_var(--accent-text)]' : 'shadow-[inset_0_0_0_1px_var(--line)]',
                !option.disabled && !isChosen && 'hover:shadow-[inset_0_0_0_1px_var(--edge)]',
              )}
            >
              <div className={cx('relative flex gap-3 rounded-control px-3.5 py-2.5', isChosen && 'bg-accent-soft')}>
                <input
                  id={id}
                  type="radio"
                  name={name}
                  value={option.value}
                  checked={isChosen}
                  disabled={option.disabled}
                  aria-describedby={`${id}-hint`}
                  onChange={() => onChange(option.value)}
                  className="relative z-10 mt-0.5 size-4 shrink-0 accent-(--accent-text) focus-visible:outline-none"
                />
                <div className="min-w-0">
                  {/* The whole option takes the click, except what it adds below. */}
                  <label
                    htmlFor={id}
                    className={cx(
                      'block text-sm after:absolute after:inset-0 after:content-[""]',
                      option.disabled ? 'text-subtle [&_span]:text-subtle' : 'cursor-pointer text-ink',
                    )}
                  >
                    {option.label}
                  </label>
                  <p id={`${id}-hint`} className="mt-0.5 text-xs text-muted">
                    {option.hint}
                  </p>
                </div>
              </div>
              {isChosen && option.extra && <div className="px-3.5 py-3 sm:pl-[2.625rem]">{option.extra}</div>}
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}
