import { Plural, Trans } from '@lingui/react/macro';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { errorText } from '../../../../lib/texts/error-text.ts';
import { Button, Dots } from '../../../../ui/base/button.tsx';
import { Banner, LoadFailed } from '../../../../ui/states/banner.tsx';
import { Standstill } from '../standstill.tsx';
import type { ContentProps } from './content-props.ts';
import type { Content } from './use-content.ts';

/** A short message where the content would be. */
export const InTheMiddle = ({ children }: { children: ReactNode }) => (
  <div className="grid size-full place-items-center p-6">
    <div className="max-w-md text-sm">{children}</div>
  </div>
);

interface ContentStateProps<T> extends Pick<ContentProps, 'file' | 'onFailed'> {
  content: Content<T>;
  children: (value: T, client: Extract<Content<T>['outcome'], { state: 'shown' }>['client']) => ReactNode;
}

/** Shows a content, that it is on its way, or why there is none. */
export function ContentState<T>({ file, content, onFailed, children }: ContentStateProps<T>) {
  const { outcome, retry } = content;
  const isUnreadable = outcome.state === 'failed' && outcome.fault === 'unreadable';
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once
  useEffect(() => {
    if (isUnreadable) onFailed();
  }, [isUnreadable]);
  if (outcome.state === 'shown') return children(outcome.value, outcome.client);
  if (outcome.state === 'waiting') {
    return (
      <InTheMiddle>
        <Standstill onRetry={retry} />
      </InTheMiddle>
    );
  }
  if (outcome.state === 'loading' || isUnreadable) {
    return file.error ? (
      <InTheMiddle>
        <Banner tone="danger">{errorText(file.error)}</Banner>
      </InTheMiddle>
    ) : (
      <div className="grid size-full place-items-center text-subtle">
        <Dots />
      </div>
    );
  }
  return (
    <InTheMiddle>
      {outcome.fault === 'unread' ? (
        <LoadFailed onRetry={retry}>
          <Trans>The file could not be read.</Trans>
        </LoadFailed>
      ) : (
        <div role="alert">
          <Banner>
            {outcome.fault === 'locked' ? (
              <Trans>
                This PDF needs a password. Download it and open it in a program that can ask for the password.
              </Trans>
            ) : (
              <Trans>This file takes too long to show. Download it to open it elsewhere.</Trans>
            )}
          </Banner>
        </div>
      )}
    </InTheMiddle>
  );
}

/** A region that scrolls, by keyboard too. */
export const Scroll = ({ label, children }: { label: string; children: ReactNode }) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    tabIndex={0}
    className="absolute inset-0 overflow-auto p-4 sm:px-8"
  >
    {children}
  </section>
);

/** Said above a content that is not what it seems. */
export const Warning = ({ children }: { children: ReactNode }) => (
  <Banner
    tone="warning"
    icon={<TriangleAlert size={18} aria-hidden className="shrink-0 text-warning" />}
    className="mx-auto mb-3 max-w-4xl"
  >
    {children}
  </Banner>
);

/** Said above what is not the whole of a file. */
export const CutNote = ({ children }: { children: ReactNode }) => (
  <p className="mx-auto mb-3 max-w-4xl text-xs text-muted">{children}</p>
);

/** More cells than this, laid out at once, stop the page. */
const CELLS_AT_ONCE = 4000;

/** A long table is laid out in parts, each asked for. @returns how many rows to show, and the button for more */
export function useRowsAtOnce(rows: number, columns: number): { readonly shown: number; readonly more: ReactNode } {
  const step = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, columns)));
  const [steps, setSteps] = useState(1);
  const shown = Math.min(rows, step * steps);
  const left = Math.min(step, rows - shown);
  const more = left > 0 && (
    <p className="mx-auto mt-3 max-w-4xl">
      <Button onClick={() => setSteps(steps + 1)}>
        <Plural value={left} one="Show # more row" other="Show # more rows" />
      </Button>
    </p>
  );
  return { shown, more };
}
