import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { card, makeFolder, newVisitor, signInAs } from '../support/browser.ts';
import { papers } from '../support/files.ts';
import { makePdf, padding, pdfOf, pdfStream } from '../support/media.ts';
import { test } from '../support/shared.ts';

/** What the viewer shows of files that are neither pictures nor films. */

/**
 * 64 by 64 black pixels as a fax (ITU-T T.6): a first line of no white and 64 black ones, written out, and 63 lines
 * like the one above each.
 */
const BLACK_FAX = bitsOf(`001${'00110101'}${'0000001111'}${'0000110111'}${'11'.repeat(63)}${'000000000001'.repeat(2)}`);

function bitsOf(bits: string): Buffer {
  const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** A page of one region, which is a fax (ITU-T T.88, as PDF embeds it). */
function jbig2(side: number, fax: Buffer): Buffer {
  const number = (value: number) => [0, 0, value >> 8, value & 255];
  const segment = (id: number, type: number, data: readonly number[]) => [
    ...[...number(id), type, 0, 1],
    ...[...number(data.length), ...data],
  ];
  const page = [...number(side), ...number(side), ...number(0), ...number(0), 0, 0, 0];
  const isFax = 1;
  const region = [...number(side), ...number(side), ...number(0), ...number(0), 0, isFax, ...fax];
  return Buffer.from([...segment(0, 48, page), ...segment(1, 38, region)]);
}

/** Sixteen by sixteen red pixels, by FFmpeg. */
const RED_JPEG_2000 = Buffer.from(
  'AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAEAAAABAAAwgHAAAAAAAPY29scgEAAAAAABAAAAC+anAyY/9P/1EALwAAAAAAEAAAABAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAYCAgAA/1wAKSJ/IH7gfuB+oHbwdvB2wG8AbwBu4GdQZ1BnaFAFUAVQR1fTV9NXYv9kABEAAUxhdmM1OS4zNy4xMDD/kAAKAAAAAAA1AAH/k9/4MBgEmj/f+DAYBziP3/gwGAc4jwAAAAAAAAAAAAAAAAAAAAAAAP/Z',
  'base64',
);

/** A sheet of four quarters without any word but one: JBIG2 and JPEG 2000 above, a fax and Japanese in no font of the file below. */
function makeScan(): Buffer {
  const side = 64;
  const picture = (filter: string, looks: string, data: Buffer) =>
    pdfStream(`/Type/XObject/Subtype/Image/Width ${side}/Height ${side}${looks}/Filter/${filter}`, data);
  const gray = '/ColorSpace/DeviceGray/BitsPerComponent 1';
  const quarter = (name: string, x: number, y: number) => `q 200 0 0 200 ${x} ${y} cm /${name} Do Q`;
  const drawing = [
    ...[quarter('Jbig2', 0, 200), quarter('Jpx', 200, 200), quarter('Fax', 0, 0)],
    // "Japan" in Shift-JIS.
    'BT /F1 60 Tf 220 60 Td <93FA967B> Tj ET',
  ].join(' ');
  const resources = '<</XObject<</Jbig2 5 0 R/Jpx 6 0 R/Fax 7 0 R>>/Font<</F1 8 0 R>>>>';
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources${resources}/Contents 4 0 R>>`,
    pdfStream('', Buffer.from(drawing)),
    picture('JBIG2Decode', gray, jbig2(side, BLACK_FAX)),
    picture('JPXDecode', '', RED_JPEG_2000),
    picture('CCITTFaxDecode', `${gray}/DecodeParms<</K -1/Columns ${side}/Rows ${side}>>`, BLACK_FAX),
    '<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[9 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 10 0 R>>',
    '<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 4/Ascent 800/Descent -200/CapHeight 700/ItalicAngle 0/StemV 80/FontBBox[0 -200 1000 800]>>',
    pdfStream('', padding()),
  ]);
}

let link: string;
let browser: Browser;
let siteUrl: string;

const file = (name: string, mimeType: string, buffer: Buffer) => ({ name, mimeType, buffer });

test.beforeAll(async ({ place }) => {
  ({ browser } = place);
  siteUrl = place.site.url;
  const owner = await newVisitor(browser);
  await signInAs(owner.page, siteUrl, 'mika');
  link = await makeFolder(owner.page, siteUrl, {
    name: 'Papers',
    files: [
      file('paper.pdf', 'application/pdf', makePdf({ widthPt: 600, heightPt: 800, pages: 40 })),
      file('locked.pdf', 'application/pdf', makePdf({ widthPt: 600, heightPt: 800, isEncrypted: true })),
      file('scan.pdf', 'application/pdf', makeScan()),
      ...papers(),
    ],
    stills: 2,
  });
  await owner.close();
});

/** The colours in three quarters of a drawn page; runs in the page. */
function quarters(drawn: HTMLCanvasElement): string[] {
  const copy = new OffscreenCanvas(drawn.width, drawn.height);
  const context = copy.getContext('2d');
  context?.drawImage(drawn, 0, 0);
  const places = [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
  ] as const;
  return places.map(([x, y]) => {
    const [red = 0, green = 0, blue = 0] =
      context?.getImageData(Math.round(x * drawn.width), Math.round(y * drawn.height), 1, 1).data ?? [];
    if (green + blue > 60) return `${red} ${green} ${blue}`;
    return red > 200 ? 'red' : 'black';
  });
}

/** @param isOpen whether the file opens with its card: a click counts once it has */
async function view(page: Page, name: string, isOpen = true) {
  if (isOpen) await card(page, name).getByText('Cached').waitFor();
  await card(page, name).getByRole('button', { name, exact: true }).click();
  const dialog = page.getByRole('dialog', { name });
  await dialog.waitFor();
  return dialog;
}

/** Opens the folder, and waits until none of its cards moves any more. */
async function open(page: Page): Promise<void> {
  await page.goto(link);
  await expect.poll(() => page.getByRole('grid', { name: 'Files' }).getByRole('gridcell').count()).toBe(7);
}

const close = (page: Page) => page.keyboard.press('Escape');

test('a visitor reads each in the viewer: a PDF by pages, Markdown, a table, a program', async () => {
  const { page, problems, close: leave } = await newVisitor(browser);
  await open(page);

  const pdf = await view(page, 'paper.pdf', false);
  const first = pdf.getByRole('region', { name: 'Page 1 of 40' });
  await first.getByText('Nine o’clock').waitFor({ state: 'attached' });
  const drawnPx = (number: number) =>
    pdf.locator(`[data-page="${number}"] canvas`).evaluate((canvas: HTMLCanvasElement) => canvas.width);
  expect(await drawnPx(1)).toBeGreaterThan(300);
  expect(await drawnPx(39)).toBeLessThanOrEqual(300);
  const field = pdf.getByRole('textbox', { name: 'Page' });
  await field.fill('39');
  await field.press('Enter');
  await expect.poll(() => drawnPx(39)).toBeGreaterThan(300);
  // What is far from what is looked at gives its memory back.
  await expect.poll(() => drawnPx(1)).toBe(0);
  await pdf.getByRole('button', { name: 'Previous page' }).click();
  await expect.poll(() => field.inputValue()).toBe('38');
  await pdf.getByRole('region', { name: 'Pages of paper.pdf' }).focus();
  await page.keyboard.press('+');
  await pdf.getByText('125%').waitFor();
  await close(page);

  // Decoders and the map of its letters are files of the site.
  const scan = await view(page, 'scan.pdf', false);
  await scan.getByText('日本').waitFor({ state: 'attached' });
  expect(await scan.locator('[data-page="1"] canvas').evaluate(quarters)).toEqual(['black', 'red', 'black']);
  await close(page);

  const locked = await view(page, 'locked.pdf');
  await locked.getByText(/^This PDF needs a password/).waitFor();
  await close(page);

  const plan = await view(page, 'plan.md');
  await plan.getByRole('heading', { name: 'Plan', exact: true }).waitFor();
  expect(await plan.getByRole('img', { name: 'Done:', exact: true }).count()).toBe(1);
  expect(await plan.getByRole('columnheader').allTextContents()).toEqual(['day', 'place']);
  const harbour = plan.getByRole('link', { name: 'Harbour' });
  expect([await harbour.getAttribute('href'), await harbour.getAttribute('rel')]).toEqual([
    'https://example.org/harbour',
    'noopener noreferrer nofollow',
  ]);
  await plan.getByText('Picture: A map').waitFor();
  await close(page);

  const costs = await view(page, 'costs.csv');
  await costs.getByRole('columnheader', { name: 'price' }).waitFor();
  await costs.getByRole('row', { name: '1 tent; blue =1+1' }).waitFor();
  await close(page);

  const program = await view(page, 'leave.py');
  const keyword = program.getByText('return', { exact: true });
  await keyword.waitFor();
  const colours = [
    keyword,
    program.getByText('# the ferry waits for none', { exact: true }),
    program.locator('code'),
  ].map((part) => part.evaluate((element) => getComputedStyle(element).color));
  expect(new Set(await Promise.all(colours)).size).toBe(3);
  await close(page);
  expect(problems()).toEqual([]);
  await leave();
});
