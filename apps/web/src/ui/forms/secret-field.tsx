import { useLingui } from '@lingui/react/macro';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useId, useState } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { IconButton } from '../base/button.tsx';
import { control, describe, FieldFrame, type FieldText } from './field.tsx';

/** A masked field for secrets; its button shows the text. */
export function SecretField({ label, hint, error, className, ...rest }: ComponentProps<'input'> & FieldText) {
  const { t } = useLingui();
  const id = useId();
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error} className={className}>
      <div className="relative">
        <input
          {...describe(id, { hint, error })}
          type={shown ? 'text' : 'password'}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          className={cx('field', control, 'h-10 pr-11', shown && 'font-mono')}
          {...rest}
        />
        <span className="absolute top-1 right-1">
          <IconButton
            label={t`Show what is typed`}
            size="sm"
            aria-pressed={shown}
            aria-controls={id}
            disabled={rest.disabled}
            onClick={() => setShown(!shown)}
          >
            <Icon size={16} aria-hidden />
          </IconButton>
        </span>
      </div>
    </FieldFrame>
  );
}
