import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { sep } from 'node:path';

const folder = new URL('./browser/', import.meta.url);

/** Node warns once that type stripping is experimental. The warning asks for no action, so it is left out. */
function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The modules that run in the page: TypeScript, with its types taken out when a module is first asked for. */
export function readBrowserCode() {
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  const stripped = new Map<string, string>();
  return {
    /** Paths of the modules within their folder, as they import each other. */
    modules,
    /** @returns undefined for what isn't one of them */
    read(module: string) {
      if (!modules.includes(module)) return undefined;
      const known = stripped.get(module);
      if (known !== undefined) return known;
      const code = stripTypes(readFileSync(new URL(module, folder), 'utf8'));
      stripped.set(module, code);
      return code;
    },
  };
}
