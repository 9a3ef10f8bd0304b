import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './runtime/paths.mjs';
import { ensureChromium } from './tests/browser-and-proxy.mjs';

/**
 * Draws the icons and the share card again, from the mark and the page's own tokens and fonts: run it after changing one of
 * those, and commit what it writes. They are files of the repository, so that a build needs no browser.
 */

const WEB = join(ROOT, 'apps/web');
const PUBLIC = join(WEB, 'public');
const FAVICON_SIZES = [16, 32, 48];
const STITCHES = 24;

const inline = (type, path) => `data:${type};base64,${readFileSync(path).toString('base64')}`;
const mark = readFileSync(join(PUBLIC, 'mark.svg'), 'utf8').replace(/<title>.*?<\/title>/, '');
const fromWeb = createRequire(join(WEB, 'package.json'));
const geist = fromWeb.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2');

/** A ring of 24 stitches, the life of a folder, a third of it over. */
function ring() {
  const arcs = Array.from({ length: STITCHES }, (_, index) => {
    const point = (degrees) => {
      const angle = ((degrees - 90) * Math.PI) / 180;
      return `${(50 + 44 * Math.cos(angle)).toFixed(2)} ${(50 + 44 * Math.sin(angle)).toFixed(2)}`;
    };
    const color = index < STITCHES / 3 ? 'var(--line)' : 'var(--graph)';
    return `<path d="M${point(index * 15 + 6)}A44 44 0 0 1 ${point(index * 15 + 9)}" stroke="${color}"/>`;
  });
  return `<svg viewBox="0 0 100 100" fill="none" stroke-width="5" stroke-linecap="round">${arcs.join('')}</svg>`;
}

const page = (style, body) => `<!doctype html><html data-theme="dark"><style>
  ${readFileSync(join(WEB, 'src/tokens.css'), 'utf8')}
  @font-face { font-family: Bricolage; src: url(${inline('font/woff2', join(WEB, 'src/fonts/bricolage-650-latin.woff2'))}); }
  @font-face { font-family: Geist; font-weight: 100 900; src: url(${inline('font/woff2', geist)}); }
  * { margin: 0; }
  html { background: transparent; }
  body { width: 100vw; height: 100vh; overflow: hidden; }
  svg { display: block; width: 100%; height: 100%; }
  ${style}
</style>${body}</html>`;

/** @param share how much of the square the mark is wide */
const icon = (share, background) =>
  page(
    `body { display: grid; place-items: center; background: ${background}; } main { width: ${share * 100}%; }`,
    `<main>${mark}</main>`,
  );

/** Without names and settings: every folder of every installation uses the same card. */
const card = page(
  `body { background: var(--canvas); color: var(--ink); font-family: Geist; }
   .stage { position: absolute; right: 72px; top: 112px; width: 406px; height: 406px; }
   .stage > * { position: absolute; inset: 0; }
   .stage .mark { inset: 84px; }
   .name { position: absolute; left: 84px; top: 80px; font: 650 38px/1 Bricolage; letter-spacing: -0.022em; color: var(--accent-text); }
   h1 { position: absolute; left: 80px; top: 172px; font: 650 88px/1.08 Bricolage; letter-spacing: -0.022em; }
   h1 span { color: var(--accent-text); }
   p { position: absolute; left: 84px; bottom: 82px; font: 400 31px/1.3 Geist; color: var(--muted); }`,
  `<div class="name">Satchel</div>
   <h1>Pack it.<br>Share it.<br><span>Then it’s gone.</span></h1>
   <p>Encrypted folders for Discord that delete themselves.</p>
   <div class="stage"><div>${ring()}</div><div class="mark">${mark}</div></div>`,
);

/** ICO: a directory of PNGs, one a size. */
function icoOf(images) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  for (const [index, { size, png }] of images.entries()) {
    const at = 6 + 16 * index;
    head.writeUInt8(size, at);
    head.writeUInt8(size, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}

async function draw() {
  const executablePath = ensureChromium();
  if (!executablePath) process.exit(1);
  const { chromium } = createRequire(join(ROOT, 'tests/package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const take = async (html, width, height = width) => {
    const tab = await browser.newPage({ viewport: { width, height } });
    await tab.setContent(html);
    await tab.evaluate(() => document.fonts.ready);
    const png = await tab.screenshot({ omitBackground: true });
    await tab.close();
    return png;
  };
  const write = (name, bytes) => writeFileSync(join(PUBLIC, name), bytes);

  write('card.png', await take(card, 1200, 630));
  for (const size of [192, 512]) write(`icon-${size}.png`, await take(icon(0.94, 'transparent'), size));
  // Systems cut these to a shape of theirs: the mark stays inside the circle that all of them keep.
  write('icon-maskable-512.png', await take(icon(0.6, 'var(--surface)'), 512));
  write('apple-touch-icon.png', await take(icon(0.7, 'var(--surface)'), 180));
  const small = [];
  for (const size of FAVICON_SIZES) small.push({ size, png: await take(icon(1, 'transparent'), size) });
  write('favicon.ico', icoOf(small));
  await browser.close();
}

await draw();
