import { ensureChromium, ensureHeadlessShell } from '../../scripts/tests/browser-and-proxy.mjs';

/** A Chromium, and its headless shell, which needs two thirds of the processor's time. */
export function setup() {
  const shell = ensureHeadlessShell();
  const chromium = ensureChromium();
  if (!chromium) throw new Error('these tests need a Chromium; see above');
  process.env.CHROMIUM_PATH = chromium;
  if (shell) process.env.HEADLESS_SHELL_PATH = shell;
}
