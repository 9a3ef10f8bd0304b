import { extensionOf } from '@satchel/contract/naming';

/** Which language a program's text is written in, by its name: the names of engine/files/content/highlight-code. */

const LANGUAGES = Object.entries({
  bash: 'sh,bash,zsh',
  c: 'c,h',
  cpp: 'cc,cpp,hpp',
  csharp: 'cs',
  css: 'css',
  diff: 'diff,patch',
  dos: 'bat,cmd',
  glsl: 'glsl',
  go: 'go',
  ini: 'ini,cfg,conf,toml,properties,env,reg',
  java: 'java',
  javascript: 'js,mjs,cjs,jsx',
  json: 'json,json5,jsonl,ndjson,geojson,webmanifest,ipynb',
  kotlin: 'kt',
  latex: 'tex',
  lua: 'lua',
  makefile: 'mk',
  perl: 'pl,pm',
  php: 'php',
  powershell: 'ps1,psm1,psd1',
  python: 'py,gd',
  ruby: 'rb',
  rust: 'rs',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts,mts,cts,tsx',
  xml: 'xml,xsd,xsl,xslt,html,htm,xhtml,svg,gpx,kml,opml,rss,atom,plist,vue,svelte,csproj',
  yaml: 'yml,yaml',
});

const OF_EXTENSION: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap(([language, extensions]) =>
    extensions.split(',').map((extension) => [extension, language] as const),
  ),
);

/** Names without an ending, in lower case. */
const OF_NAME: ReadonlyMap<string, string> = new Map([
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
  ['vagrantfile', 'ruby'],
]);

/** Null for a text that is no program's. */
export const codeLanguage = (name: string): string | null =>
  OF_EXTENSION.get(extensionOf(name)) ?? OF_NAME.get(name.toLowerCase()) ?? null;
