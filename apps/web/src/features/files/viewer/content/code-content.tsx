import type { ReactNode } from 'react';
import { codeLanguage } from '../../../../engine/files/content/code-language.ts';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import { plainLines, type TextBlock, textBlocks } from '../../../../engine/files/content/text-blocks.ts';
import type { ContentProps } from './content-props.ts';
import { TextBlocks, TextCut, TextView, useTextLabel } from './text-view.tsx';

/** Beyond this a page has too many elements; what follows has one tone. */
const TONED_MAX_CHARS = 150_000;

async function parse(client: ContentClient, text: string, name: string): Promise<readonly TextBlock[]> {
  const language = codeLanguage(name);
  const end = text.length > TONED_MAX_CHARS ? text.lastIndexOf('\n', TONED_MAX_CHARS) : text.length;
  const toned =
    language === null || end < 0
      ? null
      : await client.ask('code', { text: text.slice(0, end), language }).catch(() => null);
  if (toned === null) return textBlocks(plainLines(text));
  return textBlocks(end < text.length ? [...toned, ...plainLines(text.slice(end + 1))] : toned);
}

/** A program's text, in colours, with the numbers of its lines. */
export function CodeContent({ note, ...props }: ContentProps & { note?: ReactNode }) {
  const { name, sizeBytes } = props.file;
  return (
    <TextView view={props} label={useTextLabel(name)} isProgram parse={parse} note={note}>
      {(blocks, { isCut }) => (
        <>
          <TextCut sizeBytes={sizeBytes} isCut={isCut} />
          <TextBlocks blocks={blocks} isNumbered />
        </>
      )}
    </TextView>
  );
}
