/**
 * Decoders of scans (JBIG2, fax, JPEG 2000) and character maps of East Asian fonts: files of this site, of which a PDF gets
 * those that it needs. A list of addresses is all that is loaded with the first of them.
 */
const ADDRESSES = import.meta.glob<string>(
  [
    '../../../../../../../node_modules/pdfjs-dist/cmaps/*.bcmap',
    '../../../../../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg}.wasm',
  ],
  // Small ones would be data: addresses, which the page's policy lets no worker fetch.
  { query: '?url&no-inline', import: 'default', eager: true },
);

const byName = new Map(Object.entries(ADDRESSES).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]));

/** @throws when pdf.js asks for another file, such as the engine for a PDF's scripts, or the network fails */
export async function fetchPdfData(name: string): Promise<Uint8Array> {
  const url = byName.get(name);
  if (url === undefined) throw new Error(`a PDF needs no ${name}`);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
