import { useLingui } from '@lingui/react/macro';
import { useCallback } from 'react';
import { codeLanguage } from '../../../../engine/files/content/code-language.ts';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import type { CodeLine, CodeTone } from '../../../../engine/files/content/highlight-code.ts';
import type { RangeReader } from '../../../../engine/media/read-range.ts';
import type { ContentProps } from './content-props.ts';
import { ContentState, Scroll } from './content-states.tsx';
import { TextCut } from './text-content.tsx';
import { loadLines, useContent } from './use-content.ts';

interface Code {
  readonly lines: readonly CodeLine[];
  readonly isCut: boolean;
}

/** Beyond this a page has too many elements; what follows has one tone. */
const TONED_MAX_CHARS = 150_000;
/** So many lines are laid out together, once they come into view. */
const BLOCK_LINES = 100;

const TONES: Readonly<Record<CodeTone, string>> = {
  comment: 'text-subtle italic',
  string: 'text-success',
  number: 'text-warning',
  keyword: 'text-info',
  name: 'text-accent-text',
  type: 'text-warning',
  meta: 'text-muted',
  added: 'text-success',
  removed: 'text-danger',
};

async function loadCode(name: string, client: ContentClient, read: RangeReader): Promise<Code> {
  const { text, isCut } = await loadLines(read, { isProgram: true });
  const language = codeLanguage(name);
  const end = text.length > TONED_MAX_CHARS ? text.lastIndexOf('\n', TONED_MAX_CHARS) : text.length;
  const plain = (part: string) => part.split('\n').map((line): CodeLine => (line === '' ? [] : [line]));
  if (language === null || end < 0) return { lines: plain(text), isCut };
  const toned = await client.ask('code', { text: text.slice(0, end), language }).catch(() => null);
  if (toned === null) return { lines: plain(text), isCut };
  return { lines: end < text.length ? [...toned, ...plain(text.slice(end + 1))] : toned, isCut };
}

function Line({ number, line }: { number: number; line: CodeLine }) {
  return (
    <span className="flex">
      <span
        aria-hidden="true"
        className="w-10 shrink-0 pr-3 text-right text-subtle select-none tabular sm:w-14 sm:pr-5"
      >
        {number}
      </span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">
        {line.map((part, at) =>
          typeof part === 'string' ? (
            part
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never change
            <span key={at} className={TONES[part[0]]}>
              {part[1]}
            </span>
          ),
        )}
        {'\n'}
      </span>
    </span>
  );
}

function Block({ first, lines }: { first: number; lines: readonly CodeLine[] }) {
  return (
    <span
      className="block [content-visibility:auto]"
      style={{ containIntrinsicBlockSize: `auto ${lines.length * 1.5}em` }}
    >
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a file never change
        <Line key={at} number={first + at + 1} line={line} />
      ))}
    </span>
  );
}

/** A program's text, in colours, with the numbers of its lines. */
export function CodeContent(props: ContentProps) {
  const { t } = useLingui();
  const { name, sizeBytes } = props.file;
  const load = useCallback((client: ContentClient, read: RangeReader) => loadCode(name, client, read), [name]);
  const content = useContent(props, load);
  return (
    <ContentState {...props} content={content}>
      {({ lines, isCut }) => (
        <Scroll label={t`Text of ${name}`}>
          <TextCut sizeBytes={sizeBytes} isCut={isCut} />
          <pre dir="ltr" className="mx-auto max-w-5xl font-mono text-xs leading-normal">
            <code>
              {Array.from({ length: Math.ceil(lines.length / BLOCK_LINES) }, (_, at) => at * BLOCK_LINES).map(
                (first) => (
                  <Block key={first} first={first} lines={lines.slice(first, first + BLOCK_LINES)} />
                ),
              )}
            </code>
          </pre>
        </Scroll>
      )}
    </ContentState>
  );
}
