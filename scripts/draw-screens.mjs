import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './runtime/paths.mjs';
import { ensureChromium } from './tests/browser-and-proxy.mjs';

/**
 * Takes the README's two pictures of a running `npm start`: `node scripts/draw-screens.mjs [SITE SANDBOX]`. Commit what it
 * writes after a change that people see there.
 */
const [site = 'http://127.0.0.1:3000', sandbox = 'http://localhost:3001'] = process.argv.slice(2);
const NAME = 'Coast in March';
const media = (name) => join(ROOT, 'apps/web/public/media', name);
const FILES = [
  ...['aurora.webp', 'forest.webp', 'planet.webp'].map(media),
  join(ROOT, 'tests/fixtures/clip.webm'),
  join(ROOT, 'LICENSE'),
  join(ROOT, 'docs/security.md'),
  join(ROOT, 'deploy/compose.yaml'),
  join(ROOT, 'docs/architecture.svg'),
];

const executablePath = ensureChromium();
if (!executablePath) process.exit(1);
const { chromium } = createRequire(join(ROOT, 'tests/package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme: 'dark' });
const chat = await context.newPage();
const take = (page, name) => page.screenshot({ path: join(ROOT, 'docs', name), type: 'jpeg', quality: 85 });

/** Types a command in Mika's pane. */
async function use(command, option) {
  const mika = chat.getByRole('region', { name: 'Mika' });
  await mika.getByRole('textbox', { name: 'Message #general' }).fill(`/${command}`);
  await mika.getByRole('option', { name: new RegExp(`^/${command}\\b`) }).click();
  const field = mika.getByRole('group', { name: `/${command}` }).getByRole('combobox', { name: 'folder', exact: true });
  await field.fill(option);
  if (command === 'share') await mika.getByRole('option', { name: option }).first().click();
  await mika.getByRole('button', { name: 'Send' }).click();
  return mika;
}

const follow = async (link) => {
  const [tab] = await Promise.all([context.waitForEvent('page'), link.click()]);
  return tab;
};

await chat.goto(`${sandbox}/chat?as=mika&as=jonas`);
const mika = await use('upload', NAME);
const tab = await follow(mika.getByRole('link', { name: 'Make the folder' }));
await tab.getByRole('button', { name: 'Continue with Discord' }).click();
await tab.getByRole('radio', { name: /Mika/ }).check();
await tab.getByRole('button', { name: 'Authorize' }).click();
await tab.getByLabel('Folder name').waitFor();
await tab.getByRole('radio', { name: /short link/ }).check({ force: true });
await tab.getByLabel('Choose files').setInputFiles(FILES);
await tab.getByRole('button', { name: 'Create Folder' }).click();
await tab.getByRole('heading', { name: `${FILES.length} files are in` }).waitFor();
await tab.goto(`${site}${new URL(tab.url()).pathname}`);
const cards = tab.getByRole('gridcell');
await cards.nth(FILES.length - 1).waitFor({ state: 'attached' });
// Three pictures and a film.
await cards.locator('img').nth(3).waitFor();
await cards.filter({ hasText: 'Downloading' }).first().waitFor({ state: 'hidden' });
// Cards open one after the other.
await tab.waitForTimeout(4000);
await take(tab, 'screenshot.jpg');

await use('share', NAME);
const jonas = chat.getByRole('region', { name: 'Jonas' });
await jonas.getByRole('link', { name: 'Open' }).last().waitFor();
await take(chat, 'chat.jpg');
await browser.close();
