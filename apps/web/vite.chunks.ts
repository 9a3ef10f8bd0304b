import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

/** How the page's scripts import each other. */

/** What is written here changes scripts that have their names already, so their names are made of it, too. */
const THIS = readFileSync(fileURLToPath(new URL('./vite.chunks.ts', import.meta.url)), 'utf8');

/**
 * Chromium keeps a failed import for as long as the page is open, and never requests that address again. So a failed import
 * is requested with a query when it is called the next time, and with a new one after each failure. What succeeds with a
 * query keeps that query: a second copy would have a state of its own. A failed file that other scripts import statically
 * stays failed until the page reloads. A load that names what it wants of a chunk ({@link fewerChunks}) takes the query itself.
 */
const IMPORT = `
const queries = {};
export const __vitePreload = (load) => load().catch(async (error) => {
  const path = /\\/assets.+/.exec(error);
  if (path in queries) try {
    return await (load.length > 0 ? load(queries[path]) : import(path + queries[path]));
  } catch {}
  queries[path] = '?' + Date.now();
  throw error;
});`;

/**
 * Vite wraps every import() in a loader of style sheets, 0.8 KB of the shell. There is one sheet, which index.html asks
 * for; what brings its own links it itself (ui/toasts.tsx).
 */
export function plainImports(): Plugin {
  return {
    name: 'satchel:plain-imports',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => IMPORT,
    },
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk' || part.isEntry || !part.viteMetadata?.importedCss.size) continue;
        this.error(`${part.fileName} imports a style sheet, which nothing would load; see vite.config.ts`);
      }
    },
  };
}

/** All that such a chunk has: names of what another one has. */
const FACADE = /^export\{([^}]+)\}from"\.\/([^"]+)";?\s*$/;
const RUNTIME = /^assets\/rolldown-runtime-/;

/** `a as b,c` of an export or an import, as pairs. */
const pairsOf = (list: string): (readonly [string, string])[] =>
  list.split(',').map((each) => {
    const [name = '', other = name] = each.split(' as ');
    return [name, other];
  });

type Bundle = Rolldown.OutputBundle;
const chunksOf = (bundle: Bundle) => Object.values(bundle).filter((part) => part.type === 'chunk');

/** Imports what a facade names from the chunk that has it, and removes the facade. */
function withoutFacades(bundle: Bundle): void {
  for (const facade of chunksOf(bundle)) {
    const [, list, target] = FACADE.exec(facade.code) ?? [];
    if (list === undefined || target === undefined) continue;
    const picked = pairsOf(list).map(([name, as]) => `${as}:m.${name}`);
    const script = facade.fileName.replace(/^assets\//, '');
    const from = `import(\`./${script}\`)`;
    const to = `import(\`./${target}\`+(q??\`\`)).then(m=>({${picked}}))`;
    for (const chunk of chunksOf(bundle)) {
      chunk.code = chunk.code
        .replaceAll(`()=>${from}`, () => `q=>${to}`)
        .replace(/async\(\)=>(\{let\{[^}]+\}=await )(import\(`[^`]+`\))/g, (whole, begin: string, load: string) =>
          load === from ? `async q=>${begin}${to}` : whole,
        );
      if (chunk !== facade && chunk.code.includes(script))
        throw new Error(`${chunk.fileName} imports ${script} in a way that vite.chunks.ts does not know`);
      chunk.dynamicImports = chunk.dynamicImports.map((name) => (name === facade.fileName ? `assets/${target}` : name));
    }
    delete bundle[facade.fileName];
  }
}

/** What a load names of a chunk that has more than its module, it names of the chunk's second copy, too. */
function withQueries(bundle: Bundle): void {
  for (const chunk of chunksOf(bundle))
    chunk.code = chunk.code.replace(
      /\(\)=>import\((`[^`]+`)\)\.then\((\w+)=>\2\.(\w+)\)/g,
      (_, path: string, parts: string, name: string) => `q=>import(${path}+(q??\`\`)).then(${parts}=>${parts}.${name})`,
    );
}

/**
 * Puts the bundler's helpers, 0.4 KB, into the shell, which almost every script imports. One that does not has helpers of its
 * own: its name was made before, of its code and of what it imports, and stays the same when the shell's changes. A browser
 * keeps a script for as long as its name is in use, and would load the earlier shell with it, beside the present one.
 */
function withoutRuntimeChunk(bundle: Bundle): void {
  const runtime = chunksOf(bundle).find(({ fileName }) => RUNTIME.test(fileName));
  const shell = chunksOf(bundle).find(({ name }) => name === 'shell');
  if (!runtime || !shell) return;
  const address = (fileName: string) => `"./${fileName.replace(/^assets\//, '')}"`;
  const [, helpers = '', list = ''] = /^([\s\S]*)export\{([^}]+)\};?\s*$/.exec(runtime.code) ?? [];
  const names = pairsOf(list);
  const importing = new RegExp(`import\\{([^}]+)\\}from${address(runtime.fileName).replaceAll('.', '\\.')};?`);
  const own = pairsOf(importing.exec(shell.code)?.[1] ?? '');
  // No minified name is as long.
  const helper = (as: string) => `runtimeHelper_${as}`;
  const all = names.map(([, as]) => `${as}:${helper(as)}`);
  const given = names.map(([name, as]) => `${as}:${name}`);
  const mine = own.map(([name, as]) => `${as}=${helper(name)}`);
  const head = `var{${all}}=(()=>{${helpers}return{${given}}})()${mine.length > 0 ? `,${mine}` : ''};`;
  shell.code = `${shell.code.replace(importing, '').replace(/^/, () => head)}\nexport{${names.map(([, as]) => helper(as))}};`;
  shell.imports = shell.imports.filter((name) => name !== runtime.fileName);
  for (const chunk of chunksOf(bundle)) {
    if (chunk === shell || chunk === runtime) continue;
    const hasShell = chunk.imports.includes(shell.fileName);
    chunk.code = chunk.code.replace(importing, (_, list: string) => {
      const wanted = pairsOf(list);
      if (!hasShell) return `var{${wanted.map(([name, as]) => `${name}:${as}`)}}=(()=>{${helpers}return{${given}}})();`;
      return `import{${wanted.map(([name, as]) => `${helper(name)} as ${as}`)}}from${address(shell.fileName)};`;
    });
    if (chunk.code.includes(address(runtime.fileName)))
      throw new Error(`${chunk.fileName} imports the bundler's helpers in a way that vite.chunks.ts does not know`);
    chunk.imports = chunk.imports.filter((name) => name !== runtime.fileName);
  }
  delete bundle[runtime.fileName];
  const page = bundle['index.html'];
  if (page?.type === 'asset')
    page.source = String(page.source).replace(
      new RegExp(`\\s*<(script|link)[^>]*/${runtime.fileName}"[^>]*>(</script>)?`),
      '',
    );
}

/** Each script costs a request, which on a slow line counts more than its bytes. */
export function fewerChunks(): Plugin {
  return {
    name: 'satchel:fewer-chunks',
    apply: 'build',
    enforce: 'post',
    augmentChunkHash: () => THIS,
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        if (this.environment.name !== 'client') return;
        withQueries(bundle);
        withoutFacades(bundle);
        withoutRuntimeChunk(bundle);
      },
    },
  };
}
