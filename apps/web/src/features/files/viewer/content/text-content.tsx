import { Trans, useLingui } from '@lingui/react/macro';
import { LINES_MAX, type TextLines } from '../../../../engine/files/content/text-lines.ts';
import { TEXT_SHOWN_BYTES } from '../../../../engine/files/read-text.ts';
import type { RangeReader } from '../../../../engine/media/read-range.ts';
import { bytes } from '../../../../lib/figures/format.ts';
import { numberText } from '../../../../lib/texts/amounts.ts';
import type { ContentProps } from './content-props.ts';
import { ContentState, CutNote, Scroll } from './content-states.tsx';
import { loadLines, useContent } from './use-content.ts';

/** What of a long text is shown. */
export function TextCut({ sizeBytes, isCut }: { sizeBytes: number; isCut: boolean }) {
  const [shown, lines] = [bytes(TEXT_SHOWN_BYTES), numberText(LINES_MAX, 0)];
  if (isCut) {
    return (
      <CutNote>
        <Trans>These are the first {lines} lines. Download the file to read the rest.</Trans>
      </CutNote>
    );
  }
  if (sizeBytes <= TEXT_SHOWN_BYTES) return null;
  return (
    <CutNote>
      <Trans>These are the first {shown}. Download the file to read the rest.</Trans>
    </CutNote>
  );
}

/** A text shown literally: markup in it stays text. */
export const PlainText = ({ text }: { text: string }) => (
  <pre dir="auto" className="mx-auto max-w-4xl font-mono text-xs whitespace-pre-wrap wrap-anywhere">
    {text}
  </pre>
);

const load = (_client: unknown, read: RangeReader): Promise<TextLines> => loadLines(read);

/** A text. */
export function TextContent(props: ContentProps) {
  const { t } = useLingui();
  const { name, sizeBytes } = props.file;
  const content = useContent(props, load);
  return (
    <ContentState {...props} content={content}>
      {({ text, isCut }) => (
        <Scroll label={t`Text of ${name}`}>
          <TextCut sizeBytes={sizeBytes} isCut={isCut} />
          <PlainText text={text} />
        </Scroll>
      )}
    </ContentState>
  );
}
