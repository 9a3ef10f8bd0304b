import { extensionOf } from '@satchel/contract/naming';

/** Which language a program's text is written in, by its name: the names of engine/files/content/highlight-code. */

const LANGUAGES = Object.entries({
  bash: 'sh',
  c: 'c,h',
  cpp: 'cpp,hpp',
  csharp: 'cs',
  css: 'css',
  diff: 'diff,patch',
  glsl: 'glsl',
  go: 'go',
  ini: 'ini,cfg,conf,toml',
  java: 'java',
  javascript: 'js,mjs,jsx',
  json: 'json,jsonl',
  kotlin: 'kt',
  latex: 'tex',
  lua: 'lua',
  python: 'py,gd',
  ruby: 'rb',
  rust: 'rs',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts,mts,cts,tsx',
  yaml: 'yml,yaml',
});

const OF_EXTENSION: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap(([language, extensions]) =>
    extensions.split(',').map((extension) => [extension, language] as const),
  ),
);

/** Null for a text that is no program's. */
export const codeLanguage = (name: string): string | null => OF_EXTENSION.get(extensionOf(name)) ?? null;
