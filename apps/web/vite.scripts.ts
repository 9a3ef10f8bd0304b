import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type Plugin, type Rolldown, type ViteDevServer } from 'vite';

/** Scripts beside the page's own: the service worker's, and the one that begins the page. */

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SERVICE_WORKER = at('src/engine/media/service-worker.ts');
const START = at('src/shell/start.ts');

/** A classic script without imports. */
async function buildClassic(input: string, minify: boolean): Promise<string> {
  const result = (await build({
    configFile: false,
    logLevel: 'warn',
    mode: minify ? 'production' : 'development',
    publicDir: false,
    build: {
      write: false,
      minify,
      target: 'baseline-widely-available',
      rolldownOptions: { input, output: { format: 'iife', entryFileNames: 'classic.js' } },
    },
  })) as Rolldown.RolldownOutput;
  return result.output[0].code;
}

function serveClassic(server: ViteDevServer, path: string, input: string, finish = (code: string) => code): void {
  server.middlewares.use(path, (_request, response, next) => {
    if (!existsSync(input)) return next();
    buildClassic(input, false)
      .then((code) => {
        response.setHeader('Content-Type', 'text/javascript');
        response.setHeader('Cache-Control', 'no-store');
        response.end(finish(code));
      })
      .catch(next);
  });
}

/** The service worker as one script, since its address must never change. */
export function serviceWorker(): Plugin {
  return {
    name: 'satchel:service-worker',
    configureServer: (server) => serveClassic(server, '/sw.js', SERVICE_WORKER),
    async generateBundle() {
      if (!existsSync(SERVICE_WORKER) || this.environment.name !== 'client') return;
      this.emitFile({ type: 'asset', fileName: 'sw.js', source: await buildClassic(SERVICE_WORKER, true) });
    },
  };
}

/**
 * Chromium keeps a failed import for as long as the page is open, and never requests that address again. So the next
 * import of a failed script gets a query, and a new one after each failure. A query that succeeded is kept, because a second
 * address would load a second copy of the module's state. A script that others import statically stays failed until the page reloads.
 * The import map has no hash for an address with a query, so a link with the hash loads it first.
 *
 * It replaces Vite's loader of style sheets, which the page doesn't need: there is one sheet, which index.html asks for, and
 * what brings its own links it itself (ui/toasts.tsx).
 */
const IMPORT = `
const queries = {};
const loaded = (path, query) => new Promise((resolve, reject) => {
  const { href, pathname } = new URL(path + query, import.meta.url);
  const { integrity } = JSON.parse(document.querySelector('[type=importmap]').textContent);
  const link = { rel: 'modulepreload', href, integrity: integrity[pathname], onload: resolve, onerror: reject };
  document.head.append(Object.assign(document.createElement('link'), link));
});
globalThis.satchelImport = async (path) => {
  const query = queries[path] ?? '';
  try {
    if (query) await loaded(path, query);
    return await import(/* @vite-ignore */ path + query);
  } catch (error) {
    queries[path] = '?' + Date.now();
    throw error;
  }
};
export const __vitePreload = (load) => load();`;

/** Imports a script that could not be loaded under another address the next time. */
export function retriedImports(): Plugin {
  return {
    name: 'satchel:retried-imports',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => IMPORT,
    },
    // Hashes in file names are computed before the replacement below.
    augmentChunkHash: () => IMPORT,
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        if (this.environment.name !== 'client') return;
        for (const part of Object.values(bundle)) {
          if (part.type !== 'chunk') continue;
          if (!part.isEntry && part.viteMetadata?.importedCss.size)
            this.error(`${part.fileName} imports a style sheet, which nothing would load`);
          part.code = part.code.replace(/\bimport\((`[^`]+`)\)/g, 'satchelImport($1)');
        }
      },
    },
  };
}

/** Files that the server would otherwise compress at each start, and less well. */
const COMPRESSED = /^(?!sw\.js).+\.(html|js|css)$/;
/** Larger ones take seconds. */
const COMPRESSED_MAX_BYTES = 512 * 1024;
const compress = promisify(brotliCompress);

/** Brotli beside each script and style sheet, as small as it gets (the server's http/web/web-files). */
export function compressed(): Plugin {
  return {
    name: 'satchel:compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const paths = Object.keys(bundle).filter((name) => COMPRESSED.test(name));
      const squeeze = async (path: string) => {
        const bytes = readFileSync(path);
        if (bytes.length > COMPRESSED_MAX_BYTES) return;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${path}.br`, await compress(bytes, { params }));
      };
      await Promise.all(paths.map((name) => squeeze(join(dir, name))));
    },
  };
}

type Chunks = readonly Rolldown.OutputChunk[];

/** The addresses of the chunks that have these modules, and of all that they import. */
function pathsOf(chunks: Chunks, modules: readonly string[]): ReadonlySet<string> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const paths = new Set<string>();
  const collect = (fileName: string): void => {
    if (paths.has(`/${fileName}`)) return;
    paths.add(`/${fileName}`);
    for (const name of byName.get(fileName)?.imports ?? []) collect(name);
  };
  for (const module of modules) {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.split('?', 1)[0] === at(module)));
    if (!chunk) throw new Error(`no script has ${module}; see vite.config.ts`);
    collect(chunk.fileName);
  }
  return paths;
}

/** Where shell/start.ts has the addresses of what a page needs, in the quotes that the build chose. */
const AHEAD_PLACE = /(["'`])__SATCHEL_AHEAD__\1/;
const NOTHING_AHEAD = JSON.stringify({ fonts: [], folder: [], texts: {} });
const FIRST_FONTS = /(geist-latin-wght-normal|bricolage-650-latin)-(?!ext-)[\w-]+\.woff2$/;

/** JSON of addresses has double quotes and no single ones. */
const withAhead = (code: string, json: string) => code.replace(AHEAD_PLACE, () => `'${json}'`);

/** @param page index.html, which fetches some by itself */
function toFetchAhead(bundle: Rolldown.OutputBundle, page: string): string {
  const chunks = Object.values(bundle).filter((part) => part.type === 'chunk');
  const ahead = (...modules: string[]) => [...pathsOf(chunks, modules)].filter((path) => !page.includes(path));
  const languages = readdirSync(at('src/locales')).filter((language) => language !== 'en');
  return JSON.stringify({
    fonts: Object.keys(bundle).flatMap((file) => (FIRST_FONTS.test(file) ? `/${file}` : [])),
    folder: ahead('src/pages/folder/folder.tsx'),
    // English texts are part of the code.
    texts: {
      en: [],
      ...Object.fromEntries(languages.map((name) => [name, ahead(`src/locales/${name}/texts-${name}.ts`)])),
    },
  });
}

const PAGE_NEEDS = at('src/shell/page-needs.js');

/** Puts the script that says why a page does not show into the page, without its comments. */
export function pageNeeds(): Plugin {
  return {
    name: 'satchel:page-needs',
    transformIndexHtml(html) {
      const code = readFileSync(PAGE_NEEDS, 'utf8').replace(/^\s*(\/\*\*?|\*|\/\/).*\n/gm, '');
      return html.replace('__SATCHEL_PAGE_NEEDS__', () => code.replace(/\n\s*/g, '\n').trim());
    },
  };
}

const START_TAG = /<script\b[^>]* src="\/start\.js"[^>]*><\/script>/;

/** The script at the head of the page, which names what it fetches: in the page itself, since a file would cost a round trip. */
export function startScript(): Plugin {
  return {
    name: 'satchel:start-script',
    enforce: 'post',
    configureServer: (server) => serveClassic(server, '/start.js', START, (code) => withAhead(code, NOTHING_AHEAD)),
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') return;
        const html = String(page.source);
        const code = withAhead(await buildClassic(START, true), toFetchAhead(bundle, html)).trim();
        if (!START_TAG.test(html) || code.includes('</script')) throw new Error('start.ts has no place in the page');
        page.source = html.replace(START_TAG, () => `<script>${code}</script>`);
      },
    },
  };
}

const integrityOf = (part: Rolldown.OutputChunk | Rolldown.OutputAsset): string => {
  const content = part.type === 'chunk' ? part.code : part.source;
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
};

/**
 * Names the hash of each script in the page, as its policy asks for (http/web/web.ts), and of the style sheet: in a tag's own
 * attribute, and for modules in the import map. No browser takes a hash for a worker's script. The map stands before the first script,
 * because start.ts loads modules; Vite would move one that it finds in index.html behind it.
 */
export function integrity(): Plugin {
  return {
    name: 'satchel:integrity',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') return;
        const modules = Object.values(bundle).filter(({ type }) => type === 'chunk');
        const map = Object.fromEntries(modules.map((part) => [`/${part.fileName}`, integrityOf(part)]).sort());
        page.source = String(page.source)
          .replace('<!-- import map -->', `<script type="importmap">${JSON.stringify({ integrity: map })}</script>`)
          .replace(/<(?:script|link)\b[^>]* (?:src|href)="\/([^"]+\.(?:js|css))"/g, (tag, path: string) => {
            const part = bundle[path];
            if (!part) throw new Error(`the page names ${path}, which is no part of the build`);
            // A hash counts for a request in the mode cors only.
            if (!tag.includes(' crossorigin')) throw new Error(`the page asks for ${path} without crossorigin`);
            return `${tag} integrity="${integrityOf(part)}"`;
          });
      },
    },
  };
}
