import { Trans, useLingui } from '@lingui/react/macro';
import type { AppError } from '@satchel/contract/errors';
import { useParams, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { announce } from '../../../lib/base/announce.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { importWithTexts } from '../../../lib/texts/import-with-texts.ts';
import { Button } from '../../../ui/base/button.tsx';

interface KeyFieldProps {
  /** Why the address's key opens nothing; a new one after each try. */
  error: AppError | null;
}

/**
 * A field for the link or its key, where this device has none. The page removes it once a key opens the files. What it
 * reads a link by loads with the first try; and it is not of ui/forms, whose code would all come with it.
 */
export function KeyField({ error }: KeyFieldProps) {
  const { t } = useLingui();
  const id = useId();
  const router = useRouter();
  const { slug } = useParams({ from: '/f/$slug' });
  const [fault, setFault] = useState<(() => string) | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const hasTried = useRef(false);
  const refuse = (reason: () => string) => {
    hasTried.current = false;
    setFault(() => reason);
    announce(reason(), true);
    field.current?.select();
  };
  const refused = useEffectEvent((reason: AppError) => hasTried.current && refuse(() => errorText(reason)));
  useEffect(() => {
    if (error) refused(error);
  }, [error]);
  // The field is removed while it has the focus.
  useEffect(() => () => void (hasTried.current && document.getElementById('main')?.focus({ preventScroll: true })), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { openPastedLink } = await importWithTexts('later', () => import('./open-pasted-link.ts'));
    const reason = openPastedLink(field.current?.value ?? '', slug, router, error);
    hasTried.current = true;
    if (reason !== null) refuse(reason);
  };
  return (
    <form className="mt-3 flex flex-col items-start gap-2.5 sm:flex-row" onSubmit={submit}>
      <div className="w-full sm:flex-1">
        <label htmlFor={id} className="block text-xs font-medium text-muted">
          <Trans>Link or key</Trans>
        </label>
        <input
          ref={field}
          id={id}
          aria-describedby={`${id}-d`}
          aria-invalid={fault !== null || undefined}
          autoComplete="off"
          className="field mt-1.5 block h-10 w-full rounded-control bg-field px-3 text-sm text-ink shadow-[inset_0_0_0_1px_var(--edge)] aria-invalid:shadow-[inset_0_0_0_1px_var(--danger)]"
          onChange={() => setFault(null)}
        />
        <p id={`${id}-d`} className={cx('mt-1.5 text-2xs', fault ? 'text-danger' : 'text-muted')}>
          {fault?.() ?? t`Paste the whole link, or its part after the # sign. It stays in this browser.`}
        </p>
      </div>
      <Button type="submit" tone="primary" className="h-10 sm:mt-6">
        <Trans>Open Files</Trans>
      </Button>
    </form>
  );
}
