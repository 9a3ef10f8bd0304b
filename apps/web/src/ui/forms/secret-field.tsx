import { useLingui } from '@lingui/react/macro';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { IconButton } from '../base/button.tsx';
import { control, FieldFrame, type FieldText } from './field.tsx';

/** A masked field for secrets; its button shows the text. */
export function SecretField({ label, hint, error, className, ...rest }: ComponentProps<'input'> & FieldText) {
  const { t } = useLingui();
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame label={label} hint={hint} error={error} className={className}>
      {(described) => (
        <div className="relative">
          <input
            {...described}
            type={shown ? 'text' : 'password'}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            className={cx('field', control, 'h-10 pr-11', shown && 'font-mono')}
            {...rest}
          />
          <span className="absolute inset-y-0 right-1 flex items-center">
            <IconButton
              label={t`Show what is typed`}
              size="sm"
              aria-pressed={shown}
              aria-controls={described.id}
              disabled={rest.disabled}
              onClick={() => setShown(!shown)}
            >
              <Icon size={16} aria-hidden />
            </IconButton>
          </span>
        </div>
      )}
    </FieldFrame>
  );
}
