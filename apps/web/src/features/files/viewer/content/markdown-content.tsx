import { Trans, useLingui } from '@lingui/react/macro';
import { ImageOff } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import {
  type Block,
  type Inline,
  type MarkdownSection,
  plainOf,
} from '../../../../engine/files/content/markdown-blocks.ts';
import { plainLines, textBlocks } from '../../../../engine/files/content/text-blocks.ts';
import type { ContentProps } from './content-props.ts';
import { CutNote } from './content-states.tsx';
import { TextBlocks, TextCut, TextView, useTextLabel } from './text-view.tsx';

/** Where a link leads is said beside it, unless its words do. */
function OutLink({ href, children }: { href: string; children: readonly Inline[] }) {
  const host = href.startsWith('mailto:') ? href.slice('mailto:'.length) : new URL(href).host;
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-info underline">
        <Parts parts={children} />
      </a>
      {!plainOf(children).includes(host) && <span className="text-subtle"> ({host})</span>}
    </>
  );
}

function Part({ part }: { part: Inline }): ReactNode {
  if (typeof part === 'string') return part;
  switch (part.tag) {
    case 'em':
    case 'strong':
    case 'del':
      return (
        <part.tag>
          <Parts parts={part.children} />
        </part.tag>
      );
    case 'code':
      return <code className="rounded-chip bg-raised px-1 py-0.5 font-mono text-[0.9em]">{part.text}</code>;
    case 'picture':
      return (
        <span className="inline-flex items-baseline gap-1 rounded-chip bg-raised px-1.5 text-muted">
          <ImageOff size={12} aria-hidden className="self-center" />
          <Trans>Picture: {part.text || '–'}</Trans>
        </span>
      );
    case 'br':
      return <br />;
    case 'link':
      return <OutLink href={part.href}>{part.children}</OutLink>;
  }
}

const Parts = ({ parts }: { parts: readonly Inline[] }) =>
  parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
    <Fragment key={at}>
      <Part part={part} />
    </Fragment>
  ));

const SIZES = ['text-2xl', 'text-xl', 'text-lg', 'text-base', 'text-sm', 'text-sm'];

/** The viewer's title is a heading of the second level. */
function Heading({ level, children }: { level: number; children: readonly Inline[] }) {
  const Tag = `h${Math.min(6, level + 2)}` as 'h3';
  return (
    <Tag className={`mt-6 mb-2 font-semibold ${SIZES[level - 1] ?? ''}`}>
      <Parts parts={children} />
    </Tag>
  );
}

function Items({ block }: { block: Extract<Block, { tag: 'list' }> }) {
  const { t } = useLingui();
  const items = block.items.map(({ isDone, blocks }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the items of a list never change
    <li key={at} className="my-1">
      {isDone !== null && (
        <span role="img" aria-label={isDone ? t`Done:` : t`Not done:`} className="mr-1.5">
          {isDone ? '☑' : '☐'}
        </span>
      )}
      <Blocks blocks={blocks} isTight />
    </li>
  ));
  if (block.start === null) return <ul className="my-3 list-disc pl-6">{items}</ul>;
  return (
    <ol start={block.start} className="my-3 list-decimal pl-6">
      {items}
    </ol>
  );
}

function Table({ head, rows, align }: Extract<Block, { tag: 'table' }>) {
  const alignOf = (at: number) => ({ textAlign: align[at] ?? 'start' }) as const;
  return (
    <div className="my-3 overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {head.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
              <th key={at} scope="col" style={alignOf(at)} className="border border-line bg-raised px-3 py-1.5">
                <Parts parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowAt) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
            <tr key={rowAt}>
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={at} style={alignOf(at)} className="border border-line px-3 py-1.5">
                  <Parts parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function OneBlock({ block, isTight }: { block: Block; isTight: boolean }): ReactNode {
  switch (block.tag) {
    case 'heading':
      return <Heading level={block.level}>{block.children}</Heading>;
    case 'paragraph':
      return isTight ? (
        <Parts parts={block.children} />
      ) : (
        <p className="my-3">
          <Parts parts={block.children} />
        </p>
      );
    case 'code':
      return (
        <div className="my-3 rounded-control bg-raised p-3">
          <TextBlocks blocks={textBlocks(plainLines(block.text))} />
        </div>
      );
    case 'quote':
      return (
        <blockquote className="my-3 border-edge border-l-4 pl-4 text-muted">
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <Items block={block} />;
    case 'table':
      return <Table {...block} />;
    case 'rule':
      return <hr className="my-6 border-line" />;
  }
}

/** @param isTight of an item of a list, whose first paragraph is its line */
const Blocks = ({ blocks, isTight = false }: { blocks: readonly Block[]; isTight?: boolean }) =>
  blocks.map((block, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never change
    <OneBlock key={at} block={block} isTight={isTight && at === 0} />
  ));

/** About as many characters as a row of the article has. */
const ROW_CHARS = 100;

/** Blocks that are laid out together, once they come near. */
const Section = ({ blocks, chars }: MarkdownSection) => (
  <div
    className="[content-visibility:auto] *:last:mb-0"
    style={{ containIntrinsicBlockSize: `auto ${Math.ceil(chars / ROW_CHARS) * 1.6}em` }}
  >
    <Blocks blocks={blocks} />
  </div>
);

const parse = (client: ContentClient, text: string) => client.ask('markdown', { text });

/** A Markdown text as it reads, made of elements of this page: nothing in it is HTML, and nothing is fetched for it. */
export function MarkdownContent(props: ContentProps) {
  const { name, sizeBytes } = props.file;
  return (
    <TextView view={props} label={useTextLabel(name)} parse={parse}>
      {({ sections, isCut: hasMore }, { isCut }) => (
        <>
          <TextCut sizeBytes={sizeBytes} isCut={isCut} />
          {hasMore && !isCut && (
            <CutNote>
              <Trans>This is the beginning of the file. Download the file to read the rest.</Trans>
            </CutNote>
          )}
          <article dir="auto" className="mx-auto max-w-3xl text-sm leading-relaxed wrap-anywhere">
            {sections.map((section, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a text never change
              <Section key={at} {...section} />
            ))}
          </article>
        </>
      )}
    </TextView>
  );
}
