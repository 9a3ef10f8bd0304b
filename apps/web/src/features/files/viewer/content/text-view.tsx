import { Trans, useLingui } from '@lingui/react/macro';
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import type { ShownText } from '../../../../engine/files/content/content-messages.ts';
import type { CodeTone } from '../../../../engine/files/content/highlight-code.ts';
import {
  partText,
  plainLines,
  rowsOfPage,
  rowText,
  type TextBlock,
  type TextRow,
  textBlocks,
} from '../../../../engine/files/content/text-blocks.ts';
import { LINES_MAX } from '../../../../engine/files/content/text-lines.ts';
import { TEXT_ENCODINGS, TEXT_SHOWN_BYTES } from '../../../../engine/files/read-text.ts';
import { whileCurrent } from '../../../../lib/browser/while-current.ts';
import { bytes } from '../../../../lib/figures/format.ts';
import { numberText } from '../../../../lib/texts/amounts.ts';
import { type Language, useLanguage } from '../../../../lib/texts/language.ts';
import { useIsNear } from '../../use-file-still.ts';
import type { ContentProps } from './content-props.ts';
import { ContentState, CutNote, Scroll } from './content-states.tsx';
import { useContent } from './use-content.ts';

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

const Parts = ({ parts }: Pick<TextRow, 'parts'>) =>
  parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never change
    <span key={at} className={typeof part === 'string' ? undefined : TONES[part[0]]}>
      {partText(part)}
    </span>
  ));

const NumberedRow = ({ number, parts }: TextRow) => (
  <span className="flex">
    <span aria-hidden="true" className="w-10 shrink-0 pr-3 text-right text-subtle select-none tabular sm:w-14 sm:pr-5">
      {number}
    </span>
    <span className="min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">
      <Parts parts={parts} />
      {'\n'}
    </span>
  </span>
);

interface BlockProps {
  block: TextBlock;
  isNumbered: boolean;
  isFirst: boolean;
}

/** A block that was never in view has its text alone, so that a search of the page finds it. */
function Block({ block, isNumbered, isFirst }: BlockProps) {
  const place = useRef<HTMLSpanElement>(null);
  const isNear = useIsNear(place, isFirst);
  return (
    <span
      ref={place}
      className="block [content-visibility:auto]"
      // A block that is thought too low brings others into view, to be laid out with it.
      style={{ containIntrinsicBlockSize: `auto ${rowsOfPage(block) * 1.5}em` }}
    >
      {isNumbered && isNear
        ? block.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a text never change
            <NumberedRow key={at} {...row} />
          ))
        : `${block.map(rowText).join('\n')}\n`}
    </span>
  );
}

/** A text shown literally: markup in it stays text. */
export function TextBlocks({ blocks, isNumbered = false }: { blocks: readonly TextBlock[]; isNumbered?: boolean }) {
  const look = isNumbered ? 'max-w-5xl leading-normal' : 'max-w-4xl whitespace-pre-wrap wrap-anywhere';
  return (
    <pre dir={isNumbered ? 'ltr' : 'auto'} className={`mx-auto font-mono text-xs ${look}`}>
      <code className="font-[inherit]">
        {blocks.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never change
          <Fragment key={at}>
            <Block block={block} isNumbered={isNumbered} isFirst={at === 0} />
          </Fragment>
        ))}
      </code>
    </pre>
  );
}

function PlainText({ text }: Pick<ShownText, 'text'>) {
  const blocks = useMemo(() => textBlocks(plainLines(text)), [text]);
  return <TextBlocks blocks={blocks} />;
}

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

/** Encodings that are written in another way than with capitals. */
const SPELLED: Readonly<Record<string, string>> = {
  big5: 'Big5',
  macintosh: 'Mac Roman',
  shift_jis: 'Shift_JIS',
  ibm437: 'DOS (437)',
  ibm866: 'DOS (866)',
};

function encodingLabel([encoding, script]: (typeof TEXT_ENCODINGS)[number], language: Language): string {
  const spelled =
    SPELLED[encoding] ??
    encoding.replace('windows', 'Windows').replace(/^(utf|iso|koi|gb|euc).*/, (text) => text.toUpperCase());
  const scripts = script && new Intl.DisplayNames(language, { type: 'script', style: 'short' }).of(script);
  return scripts ? `${scripts}: ${spelled}` : spelled;
}

/** Which letters a text's bytes are, where they don't say it. */
function EncodingChoice({ encoding, onChoose }: { encoding: string; onChoose: (encoding: string) => void }) {
  const language = useLanguage();
  return (
    <p data-own-keys className="mx-auto mb-3 flex max-w-4xl flex-wrap items-center gap-2 text-xs text-muted">
      <label className="inline-flex flex-wrap items-center gap-2">
        <Trans>Letters look wrong? Read as</Trans>
        <select
          value={encoding}
          onChange={(event) => onChoose(event.target.value)}
          className="h-8 max-w-full cursor-pointer rounded-control bg-raised px-2 text-ink max-sm:h-10 [&>option]:bg-surface [&>option]:text-ink"
        >
          {TEXT_ENCODINGS.map((known) => (
            <option key={known[0]} value={known[0]}>
              {encodingLabel(known, language)}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}

interface Read<T> {
  readonly text: ShownText;
  /** Null where the text could not be read as more than a text, or not in time. */
  readonly parsed: T | null;
}

export interface TextViewProps<T> {
  view: ContentProps;
  /** Names the region. */
  label: string;
  /** Shows what could make two programs look alike. */
  isProgram?: boolean;
  /** Reads more in a text, by the worker; its failure shows the text as it stands. It must not change. */
  parse: (client: ContentClient, text: string, name: string) => Promise<T> | null;
  children: (parsed: T, text: ShownText) => ReactNode;
  /** Said above the text. */
  note?: ReactNode;
}

async function readAs<T>(
  client: ContentClient,
  name: string,
  encoding: string | null,
  { isProgram = false, parse }: Pick<TextViewProps<T>, 'isProgram' | 'parse'>,
): Promise<Read<T>> {
  const text = await client.ask('text', { name, encoding, isProgram });
  return { text, parsed: await (parse(client, text.text, name)?.catch(() => null) ?? null) };
}

function Shown<T>({ first, client, ...props }: TextViewProps<T> & { first: Read<T>; client: ContentClient }) {
  const { view, label, children, note } = props;
  const { name, sizeBytes } = view.file;
  const [chosen, choose] = useState<string | null>(null);
  const [{ text, parsed }, setRead] = useState(first);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is read again where a person chooses, and then alone
  useEffect(
    () => (chosen === null ? undefined : whileCurrent(readAs(client, name, chosen, props), setRead, () => {})),
    [chosen],
  );
  return (
    <Scroll label={label}>
      {note}
      {(!text.isCertain || chosen !== null) && <EncodingChoice encoding={chosen ?? text.encoding} onChoose={choose} />}
      {parsed === null ? (
        <>
          <TextCut sizeBytes={sizeBytes} isCut={text.isCut} />
          <PlainText text={text.text} />
        </>
      ) : (
        children(parsed, text)
      )}
    </Scroll>
  );
}

/** A text, read and parsed by the worker: as more than a text where it can be, else as it stands. */
export function TextView<T>(props: TextViewProps<T>) {
  const { view, isProgram = false, parse } = props;
  const { name } = view.file;
  const load = useMemo(
    () => (client: ContentClient) => readAs(client, name, null, { isProgram, parse }),
    [name, isProgram, parse],
  );
  const content = useContent(view, load);
  return (
    <ContentState {...view} content={content}>
      {(first, client) => <Shown {...props} first={first} client={client} />}
    </ContentState>
  );
}

/** Names the region of a text. */
export function useTextLabel(name: string): string {
  const { t } = useLingui();
  return t`Text of ${name}`;
}
