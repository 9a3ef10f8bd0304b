import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import site from '../../vite.config.ts';

/** The gallery's page: the site's modules with workers that say what they are given. No part of the site's build. */

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ONLY_FOR_SITE = /^satchel:(?!no-injected-style)/;
const plugins = ((site.plugins ?? []) as unknown[]).flat(3) as Plugin[];

export default defineConfig({
  ...site,
  plugins: plugins.filter(({ name }) => !ONLY_FOR_SITE.test(name)),
  resolve: {
    alias: [
      ...((site.resolve?.alias ?? []) as []),
      { find: '#server-rows', replacement: at('../../../../packages/contract/src/error-rows/server-rows.ts') },
      { find: /^.*\/worker-addresses\.ts$/, replacement: at('workers.ts') },
    ],
  },
  build: {
    target: 'esnext',
    minify: false,
    modulePreload: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: { input: at('index.html'), output: { codeSplitting: false } },
  },
});
