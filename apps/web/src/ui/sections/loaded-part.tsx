import { Trans, useLingui } from '@lingui/react/macro';
import { toAppError } from '@satchel/contract/errors';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots } from '../base/button.tsx';
import { Failure } from './failure.tsx';

interface LoadedPartProps<T> {
  query: UseQueryResult<T>;
  /** What is said while it loads. */
  loading?: string;
  children: (data: T) => ReactNode;
}

/** A part of a card that the server answers: while it loads, after a failure with a retry, and loaded. */
export function LoadedPart<T>({ query, loading, children }: LoadedPartProps<T>) {
  const { t } = useLingui();
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error ? (
    <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
      <Failure text={errorText(toAppError(error))} />
      <Button size="sm" onClick={() => void refetch()}>
        <Trans>Try Again</Trans>
      </Button>
    </div>
  ) : (
    <div className="mt-3 text-subtle">
      <Dots label={loading ?? t`Loading`} />
    </div>
  );
}
