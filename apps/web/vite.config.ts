import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { siteManifest } from './vite.manifest.ts';
import { compressed, integrity, pageNeeds, retriedImports, serviceWorker, startScript } from './vite.scripts.ts';
import { texts } from './vite.texts.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = process.env.SATCHEL_SERVER ?? 'http://127.0.0.1:3000';
const SERVER_PATHS = [
  '/auth/v1',
  '/rest',
  '/storage',
  '/bot',
  '/discord',
  '/healthz',
  '/settings.json',
  '/s/',
  '/share-target',
];

/**
 * The part of the page's policy that Vite's own scripts and styles can live with. A module that is replaced while the page
 * is open makes its Trusted Types policy again.
 */
const DEV_POLICY =
  "require-trusted-types-for 'script'; trusted-types satchel-workers satchel-sealing 'allow-duplicates'; base-uri 'none'";

/** Files directly in a folder of src, not in its rooms. */
const room = (path: string) => new RegExp(`/src/${path}/[^/]+\\.tsx?$`);

/** The icons that the files below some folders of src import, by the names of their modules. */
function iconsIn(folders: string): ReadonlySet<string> {
  const lists = globSync(at(`src/${folders}/**/*.tsx`)).flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(/import \{([^}]+)\} from 'lucide-react'/g), ([, list = '']) => list),
  );
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim().replace(/\B([A-Z]|\d+)/g, '-$1'));
  return new Set(names.map((name) => name.toLowerCase()));
}

/** The icons that the landing page shares with other pages: the shell has them, so that it needs no other script. */
const ofLanding = iconsIn('{shell,features/landing}');
const ofOthers = iconsIn('{ui,pages,features/!(landing)}');
function isSharedIcon(id: string): boolean {
  const [, name = ''] = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\./.exec(id) ?? [];
  return ofLanding.has(name) && ofOthers.has(name);
}

/** Bundles English texts with the code that shows them. */
const ENGLISH = (catalogue: string) => new RegExp(`/locales/en/${catalogue}\\.po`);

/**
 * Assigns modules to the page's scripts. Each script holds what a person uses together, because each costs a request. A
 * module goes into the first script that matches it, and takes along its imports that no earlier script contains.
 */
const SCRIPTS: Readonly<Record<string, readonly (RegExp | ((id: string) => boolean))[]>> = {
  shell: [
    /\/src\/main\.tsx$/,
    ENGLISH('shell'),
    room('shell'),
    room('ui/base'),
    room('lib/base'),
    room('lib/texts'),
    /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//,
    /node_modules\/@tanstack\/(react-router\/(?!.*\/useBlocker)|router-core|history|store|react-store)/,
    /node_modules\/@lingui\/(core|react)\//,
    /node_modules\/lucide-react\/dist\/esm\/(?!icons\/)/,
    isSharedIcon,
  ],
  // What a folder's page needs before it can show file names.
  folder: [
    ENGLISH('(common|folder)'),
    room('pages/folder(/uploads)?'),
    /\/client\/src\/folders\/complete-data|\/features\/folder\/rename-folder/,
    /\/src\/ui\/states\/(?!storage-notice)/,
    room('lib/browser'),
    /\/packages\/contract\/src\/(errors|limits|naming|paths|roles)/,
    room('engine/keys'),
    /\/packages\/client\/src\/(api|keys\/(?!passphrase))/,
    /\/engine\/passphrase\/passphrase-client/,
    /\/packages\/container\/src\/(base64url|key|keyring|label|gcm|proof)/,
    room('lib/api'),
    room('lib/figures'),
    room('account/session'),
    /node_modules\/@tanstack\/(query-core|react-query)\//,
  ],
  landing: [/\/pages\/landing/, ENGLISH('landing')],
  // What a folder's page loads after the names: stills and the change stream.
  begun: [room('pages/folder/live'), room('features/files/grid'), /\/engine\/(files\/stills|uploads\/log)\//],
  late: [room('shell/late'), ENGLISH('foot'), /\/ui\/(display-panel|spot-drawing|site-footer|states\/storage-notice)/],
  locked: [/\/features\/folder\/keys\/(key-field|sealed-panel)/, ENGLISH('locked')],
  common: [
    /\/src\/ui\//,
    /\/account\/own-data\/own-account/,
    /\/engine\/(passphrase\/|speed|reports\/operator-key-store)|\/client\/src\/keys\/passphrase/,
    /\/features\/(folder\/keys\/|files\/actions\/delete-files-dialog)/,
    /\/packages\/container\/src\/(chunk|format|read)/,
    /lucide-react\/dist\/esm\/icons\//,
  ],
  opening: [
    /\/engine\/media\//,
    /\/(engine\/files\/(open|sav)|files\/saving\/ask-first)/,
    /\/client\/src\/open\/(?!zip)/,
  ],
  uploads: [
    /\/engine\/uploads\//,
    /\/client\/src\/send\//,
    /\/features\/upload\//,
    /\/panels\/upload-zone/,
    ENGLISH('upload'),
  ],
  acts: [
    /\/features\/(report|files\/(actions|directories|list|rename|zip))\/|\/saving\/(compare|program-q|saving-limits)/,
    /\/engine\/(reports|zip)\/|\/client\/src\/open\/zip/,
    ENGLISH('later'),
  ],
  viewer: [/\/features\/files\/viewer\//],
  owner: [/\/features\/(activity|settings|share)\//, room('pages/folder/panels'), ENGLISH('(activity|settings|share)')],
  operator: [/\/pages\/operator/, ENGLISH('operator')],
  create: [/\/pages\/create-folder/, ENGLISH('create')],
  auth: [/\/pages\/auth/, /\/account\/sign-in\//, ENGLISH('account')],
  account: [/\/pages\/(profile|device)/, /\/features\/(profile|device)\//, ENGLISH('device')],
  more: [/\/src\/(?!locales).+\.tsx?$/, ENGLISH('privacy')],
};
const isOneOf = (parts: (typeof SCRIPTS)[string]) => (id: string) =>
  parts.some((part) => (typeof part === 'function' ? part(id) : part.test(id)));
const GROUPS = Object.entries(SCRIPTS).map(([name, parts], at, all) => ({
  name,
  test: isOneOf(parts),
  priority: all.length - at,
}));
/** Assigns the modules of the viewer's content worker: what every text needs, and what only some kinds of files need. */
const WORKER_GROUPS = [
  { name: 'text', test: /\/files\/read-text\.ts$|\/content\/text-lines\.ts$/ },
  {
    name: 'documents',
    test: /\/content\/(markdown-tree|drawing-weight|text-table|zip-directory)\.ts$|node_modules\/chardet\//,
  },
  { name: 'highlight', test: /highlight/ },
  { name: 'pdf', test: /\/content\/pdf\/|\/stills\/pdf-page/ },
  { name: 'audio-tags', test: /node_modules\/music-metadata\/|\/content\/audio-tags\.ts$/ },
];

/** Names of scripts to fetch ahead would stand in the shell, 1 KB of them; a page asks for its own when it is there. */
const preloadedWith = (_file: string, dependencies: string[], { hostType }: { hostType: 'html' | 'js' }): string[] =>
  hostType === 'html' ? dependencies : [];

/** Libraries that put a style sheet into the page when they are imported, which our CSP refuses. */
const INJECTING = [
  // ui/toasts.tsx links the same sheet.
  { id: /sonner[\\/]dist[\\/]index\.mjs/, injection: /^__insertCSS\(.*\);?$/m },
  // features/files/viewer/zoom-image.tsx says the rules that it needs itself.
  { id: /react-zoom-pan-pinch[\\/]dist[\\/]index\.esm\.js/, injection: /^styleInject\(css_248z\);$/m },
];

function withoutInjectedStyles(): Plugin[] {
  return INJECTING.map(({ id, injection }) => ({
    name: `satchel:no-injected-style:${id.source}`,
    enforce: 'pre',
    transform: {
      filter: { id },
      handler(code) {
        const stripped = code.replace(injection, '');
        if (stripped === code) this.error(`${id.source} no longer injects its style where it did; see vite.config.ts`);
        return { code: stripped, map: null };
      },
    },
  }));
}

/** Groups say which chunk a module is in, and a person who starts Satchel need not read how long plugins took. */
const UNSAID = { pluginTimings: false, ineffectiveDynamicImport: false };

export default defineConfig({
  root: at('.'),
  plugins: [
    react(),
    texts(),
    tailwindcss(),
    pageNeeds(),
    retriedImports(),
    withoutInjectedStyles(),
    serviceWorker(),
    startScript(),
    integrity(),
    compressed(),
    siteManifest(),
  ],
  build: {
    target: 'baseline-widely-available',
    manifest: true,
    modulePreload: { polyfill: false, resolveDependencies: preloadedWith },
    sourcemap: false,
    rolldownOptions: { checks: UNSAID, output: { codeSplitting: { groups: GROUPS } } },
  },
  resolve: {
    alias: [
      // React has had the hook itself since 18; the shim is for older ones.
      { find: 'use-sync-external-store/shim/with-selector', replacement: 'use-sync-external-store/with-selector' },
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
      // Radix's lock of scrolling puts rules into a <style>, which our CSP refuses.
      { find: 'react-style-singleton', replacement: at('src/ui/base/style-singleton.ts') },
    ],
  },
  worker: {
    format: 'es',
    rolldownOptions: { checks: UNSAID, output: { codeSplitting: { groups: WORKER_GROUPS } } },
  },
  optimizeDeps: { exclude: ['sonner', 'react-zoom-pan-pinch'] },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    headers: { 'Content-Security-Policy': DEV_POLICY },
    proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, { target: SERVER }])),
  },
});
