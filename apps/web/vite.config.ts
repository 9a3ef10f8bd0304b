import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { fewerChunks, plainImports } from './vite.chunks.ts';
import { compressed, serviceWorker, startScript } from './vite.scripts.ts';
import { texts } from './vite.texts.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = process.env.SATCHEL_SERVER ?? 'http://127.0.0.1:3000';
const PUBLIC_URL = process.env.PUBLIC_URL ?? 'http://127.0.0.1:5173';
const SERVER_PATHS = ['/auth/v1', '/rest', '/storage', '/bot', '/discord', '/healthz', '/share-target'];

/** What the server would fill in (contract WebSettings); the defaults of DESIGN R4, for the dev server only. */
const DEV_SETTINGS = {
  max_file_bytes: 100 * 1024 ** 2,
  free_storage_bytes: 1024 ** 3,
  folder_lifetime_hours: 24,
  max_folder_files: 2000,
  admits: 'anyone',
  add_to_discord_url: null,
  public_url: PUBLIC_URL,
  links: { source: null, docs: null, privacy: null, terms: null, contact: null, status: null },
};

/**
 * The part of the page's policy that Vite's own scripts and styles can live with. A module that is replaced while the page
 * is open makes its Trusted Types policy again.
 */
const DEV_POLICY =
  "require-trusted-types-for 'script'; trusted-types satchel-workers satchel-sealing 'allow-duplicates'; base-uri 'none'";

/** Files right in a folder of src, without those of its rooms. */
const room = (path: string) => new RegExp(`/src/${path}/[^/]+\\.tsx?$`);

/** The icons that the files below some folders of src import, by the names of their modules. */
function iconsIn(folders: string): ReadonlySet<string> {
  const lists = globSync(at(`src/${folders}/**/*.tsx`)).flatMap((path) =>
    Array.from(readFileSync(path, 'utf8').matchAll(/import \{([^}]+)\} from 'lucide-react'/g), ([, list = '']) => list),
  );
  const names = lists.flatMap((list) => list.split(',')).map((name) => name.trim().replace(/\B([A-Z]|\d+)/g, '-$1'));
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Finds the icons that both folders have: they come with a group that the pages of both load. */
function iconsOfBoth(one: string, other: string): (id: string) => boolean {
  const [of, ofOther] = [iconsIn(one), iconsIn(other)];
  return (id) => {
    const [, name = ''] = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\./.exec(id) ?? [];
    return of.has(name) && ofOther.has(name);
  };
}

/** Texts that a folder's page says at once: the English ones come with its code, the others as one file. */
const ENGLISH = (catalogue: string) => new RegExp(`/locales/en/${catalogue}\\.po`);
const TRANSLATIONS = readdirSync(at('src/locales'))
  .filter((language) => language !== 'en')
  .map((language) => ({
    name: `texts-${language}`,
    test: new RegExp(`/locales/${language}/((shell|common|folder)\\.po|errors\\.ts)`),
    priority: 4,
  }));

/** What every page needs comes as one file: a dozen small ones compress worse, and each costs a request. */
const SHELL = [
  /\/src\/main\.tsx$/,
  ENGLISH('shell'),
  room('shell'),
  room('ui/base'),
  room('lib/base'),
  room('lib/texts'),
  /node_modules\/get-nonce\//,
  /node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//,
  /node_modules\/@tanstack\/(react-router\/(?!.*\/useBlocker)|router-core|history|store|react-store)/,
  /node_modules\/@lingui\/(core|react)\//,
  /node_modules\/lucide-react\/dist\/esm\/(?!icons\/)/,
];
const SHELL_ICONS = iconsOfBoth('{shell,features/landing}', '{ui,pages,features/!(landing)}');
/**
 * For more than one page: what reads the server's data and shows it, what a screen without a folder says, errors, and a
 * folder's keys.
 */
const DATA = [
  ENGLISH('common'),
  room('ui/states'),
  room('lib/browser'),
  /\/packages\/contract\/src\/(errors|limits|naming|paths|roles)/,
  room('engine/keys'),
  room('engine/links'),
  /\/engine\/passphrase\/passphrase-client/,
  /\/packages\/container\/src\/(base64url|key|keyring|label|gcm|proof)/,
  room('lib/api'),
  room('lib/figures'),
  room('account/session'),
  /node_modules\/@tanstack\/(query-core|react-query)\//,
];
const DATA_ICONS = iconsOfBoth('features/profile', '{pages,features}/folder');
const isOneOf = (parts: readonly RegExp[]) => (id: string) => parts.some((part) => part.test(id));
const isEither = (one: (id: string) => boolean, other: (id: string) => boolean) => (id: string) => one(id) || other(id);
/** By priority: a group includes what its modules import, unless an earlier group has it. */
const GROUPS = [
  { name: 'shell', test: isEither(isOneOf(SHELL), SHELL_ICONS), priority: 5 },
  // Else each is a file of its own, with a name in the shell to be fetched by.
  { name: 'icons', test: /lucide-react\/dist\/esm\/icons\//, minShareCount: 2, priority: 0 },
  { name: 'data', test: isEither(isOneOf(DATA), DATA_ICONS), priority: 3 },
  { name: 'folder', test: isOneOf([room('pages/folder'), ENGLISH('folder')]), priority: 1 },
  ...TRANSLATIONS,
  // Parts of an owner's page from the start: dropping, pasting, and whether uploads were left unfinished.
  { name: 'uploads', test: room('pages/folder/uploads'), priority: 1 },
];

/** Names of scripts to fetch ahead would stand in the shell, 1 KB of them; a page asks for its own when it is there. */
const preloadedWith = (_file: string, dependencies: string[], { hostType }: { hostType: 'html' | 'js' }): string[] =>
  hostType === 'html' ? dependencies : [];

function pageSettings(): Plugin {
  const json = JSON.stringify(DEV_SETTINGS).replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return {
    name: 'satchel:page-settings',
    apply: 'serve',
    transformIndexHtml: (html) =>
      html
        .replace('__SATCHEL_SETTINGS__', json)
        .replace('__CSP_NONCE__', '')
        .replaceAll('__CARD_TITLE__', 'Satchel')
        .replaceAll('__PUBLIC_URL__', DEV_SETTINGS.public_url),
  };
}

/** Libraries that put a style sheet into the page when they are imported, with no nonce, which our CSP refuses. */
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
    pageSettings(),
    plainImports(),
    withoutInjectedStyles(),
    serviceWorker(),
    fewerChunks(),
    startScript(),
    compressed(),
  ],
  build: {
    target: 'baseline-widely-available',
    manifest: true,
    modulePreload: { polyfill: false, resolveDependencies: preloadedWith },
    sourcemap: false,
    rolldownOptions: { checks: UNSAID, output: { codeSplitting: { groups: GROUPS } } },
  },
  // React has had the hook itself since 18; the shim is for older ones.
  resolve: {
    alias: [
      { find: 'use-sync-external-store/shim/with-selector', replacement: 'use-sync-external-store/with-selector' },
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
    ],
  },
  worker: { format: 'es', rolldownOptions: { checks: UNSAID } },
  optimizeDeps: { exclude: ['sonner', 'react-zoom-pan-pinch'] },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    headers: { 'Content-Security-Policy': DEV_POLICY },
    proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, { target: SERVER }])),
  },
});
