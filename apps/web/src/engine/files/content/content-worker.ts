import type { RangeReader } from '@satchel/client/open/read-range';
import {
  type BytesRead,
  type BytesWanted,
  type ContentAnswers,
  type ContentFault,
  type ContentOrder,
  type ContentOrderName,
  type ContentOrders,
  type ContentReply,
  FILE_PORT,
} from './content-messages.ts';
import type { OpenPdf } from './pdf/pdf-document.ts';

/**
 * Reads what is in a file that is looked at: parsers meet other people's bytes here, without a key, and end with the worker,
 * which the page ends when one takes too long.
 */

const scope = globalThis as unknown as DedicatedWorkerGlobalScope;

/** Asks the page for bytes of the file. */
function createReader(port: MessagePort): RangeReader {
  const waiting = new Map<number, PromiseWithResolvers<Uint8Array<ArrayBuffer>>>();
  let lastId = 0;
  port.onmessage = ({ data: { id, bytes } }: MessageEvent<BytesRead>) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (bytes) asked?.resolve(bytes);
    else asked?.reject(new Error('the file could not be read'));
  };
  return (fromByte, toByte) => {
    lastId += 1;
    const asked = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    waiting.set(lastId, asked);
    port.postMessage({ id: lastId, fromByte, toByte } satisfies BytesWanted);
    return asked.promise;
  };
}

let read: RangeReader = () => Promise.reject(new TypeError('there is no file'));
let pdf: Promise<OpenPdf> | null = null;

async function openOnce(sizeBytes: number): Promise<OpenPdf> {
  const { openPdf } = await import('./pdf/pdf-document.ts');
  pdf ??= openPdf(read, sizeBytes);
  return pdf;
}

type Readers = {
  readonly [Name in ContentOrderName]: (order: ContentOrders[Name]) => Promise<ContentAnswers[Name]>;
};

async function readLines({ isProgram, ...wish }: ContentOrders['text']): Promise<ContentAnswers['text']> {
  const [{ readText }, { textLines }] = await Promise.all([import('../read-text.ts'), import('./text-lines.ts')]);
  const { text, ...how } = await readText(read, wish);
  return { ...how, ...textLines(text, { isProgram }) };
}

const READERS: Readers = {
  text: readLines,
  markdown: async ({ text }) => (await import('./markdown-tree.ts')).readMarkdown(text),
  code: async ({ text, language }) => (await import('./highlight-code.ts')).highlightCode(text, language),
  table: async ({ text }) => (await import('./text-table.ts')).readTable(text),
  drawing: async ({ blob }) => {
    const { isHeavyDrawing } = await import('./drawing-weight.ts');
    return { isHeavy: isHeavyDrawing(new Uint8Array(await blob.arrayBuffer())) };
  },
  zip: async ({ sizeBytes }) => (await import('./zip-directory.ts')).readZip(read, sizeBytes),
  tags: async ({ sizeBytes }) => (await import('./audio-tags.ts')).readAudioTags(read, sizeBytes),
  pdf: async ({ sizeBytes }) => (await openOnce(sizeBytes)).facts,
  page: async ({ sizeBytes, number, widthPx }) => (await openOnce(sizeBytes)).page(number, widthPx),
};

const faultOf = (error: unknown): ContentFault =>
  error instanceof Error && error.name === 'LockedError' ? 'locked' : 'unreadable';

async function answer<Name extends ContentOrderName>({ name, order }: ContentOrder<Name>, port: MessagePort) {
  try {
    const made = await READERS[name](order);
    const handed = 'picture' in made ? [made.picture] : [];
    port.postMessage({ type: 'done', answer: made } satisfies ContentReply, handed);
  } catch (error) {
    port.postMessage({ type: 'failed', fault: faultOf(error) } satisfies ContentReply);
  }
}

scope.addEventListener('message', ({ data, ports: [port] }: MessageEvent<ContentOrder | typeof FILE_PORT>) => {
  // What pdf.js says to itself on this channel has no port.
  if (!port) return;
  if (data === FILE_PORT) read = createReader(port);
  else void answer(data, port);
});
