import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { limitText } from '../../lib/format.ts';
import { Dots } from '../../ui/button.tsx';
import { readText, TEXT_SHOWN_BYTES } from './read-text.ts';

interface TextContentProps {
  name: string;
  blob: Blob;
  /** It is no text after all. */
  onError: () => void;
}

/** A text, letter by letter as it is: markup in it stays letters. */
export function TextContent({ name, blob, onError }: TextContentProps) {
  const { t } = useLingui();
  const [text, setText] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each file
  useEffect(() => {
    let isCurrent = true;
    readText(blob).then(
      (read) => {
        if (isCurrent) setText(read);
      },
      () => {
        if (isCurrent) onError();
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [blob]);
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
      {blob.size > TEXT_SHOWN_BYTES && (
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
