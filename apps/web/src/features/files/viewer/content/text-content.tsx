import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { readText, TEXT_SHOWN_BYTES } from '../../../../engine/files/read-text.ts';
import { whileCurrent } from '../../../../lib/browser/while-current.ts';
import { limitText } from '../../../../lib/figures/format.ts';
import { Dots } from '../../../../ui/base/button.tsx';
import type { ContentProps } from './content-props.ts';

/** A text shown literally: markup in it stays text. */
export function TextContent({ file: { name, sizeBytes }, read, onFailed }: ContentProps) {
  const { t } = useLingui();
  const [text, setText] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each file
  useEffect(() => whileCurrent(readText(read), setText, onFailed), [read]);
  const shown = limitText(TEXT_SHOWN_BYTES);
  if (text === null) {
    return (
      <div className="grid size-full place-items-center text-subtle">
        <Dots />
      </div>
    );
  }
  return (
    <section
      aria-label={t`Text of ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
      className="absolute inset-0 overflow-auto p-4 sm:px-8"
    >
      {sizeBytes > TEXT_SHOWN_BYTES && (
        <p className="mx-auto mb-3 max-w-4xl text-xs text-muted">
          <Trans>The first {shown} of it. Download it to read the rest.</Trans>
        </p>
      )}
      <pre dir="auto" className="mx-auto max-w-4xl font-mono text-xs whitespace-pre-wrap wrap-anywhere">
        {text}
      </pre>
    </section>
  );
}
