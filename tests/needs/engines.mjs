import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureFirefox, ensureWebkit } from '../../scripts/tests/browser-and-proxy.mjs';
import { leaveOut } from '../../scripts/tests/left-out.mjs';

/** Firefox, and WebKit with a display to draw on: what Chromium's tests (chromium.mjs) don't tell of people's browsers. */
export async function setup() {
  const engines = ['chromium'];
  if (process.env.TEST_ENGINES) return undefined;
  const firefox = ensureFirefox();
  if (firefox) {
    process.env.FIREFOX_PATH = firefox;
    engines.push('firefox');
  } else leaveOut('what three engines do, in Firefox (FIREFOX_PATH would name one)');
  const webkit = ensureWebkit();
  const display = webkit && (await startDisplay(webkit.display));
  if (webkit) {
    process.env.WEBKIT_DRIVER_PATH = webkit.driver;
    process.env.GJS_PATH = webkit.gjs;
    engines.push('webkit');
  } else leaveOut('what three engines do, in WebKit (Debian’s webkit2gtk-driver, gjs, gir1.2-webkit2-4.1 and xvfb)');
  process.env.TEST_ENGINES = engines.join(' ');
  return () => display?.kill();
}

/** A display in memory; it finds a free number by itself, and says which. */
async function startDisplay(program) {
  const screen = ['-screen', '0', '1600x1200x24', '-nolisten', 'tcp'];
  const display = spawn(program, ['-displayfd', '3', ...screen], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [number] = await once(display.stdio[3], 'data');
  process.env.DISPLAY = `:${String(number).trim()}`;
  return display;
}
