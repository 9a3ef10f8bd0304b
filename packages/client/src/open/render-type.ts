import { extensionOf } from '@satchel/contract/naming';

/**
 * The types that an opened file may be shown as. A file's own type is not trusted (docs/container.md §1): what a browser would run, text/html
 * above all, is plain text here, and a file of any other type can only be saved.
 */

/** The type of all other files. */
export const BYTES_TYPE = 'application/octet-stream';

const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  heif: 'image/heic',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  ogg: 'video/ogg',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  '3gp': 'video/3gpp',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  weba: 'audio/webm',
  mka: 'audio/x-matroska',
  pdf: 'application/pdf',
};

/** Text formats: shown as plain text, even if a program could run them. */
const TEXT_TYPE = 'text/plain';
const TEXT_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    'txt,text,md,markdown,rst,adoc,org,csv,tsv,json,json5,jsonl,ndjson,geojson,webmanifest,ipynb,log,yml,yaml,toml,ini,cfg,conf,' +
    'properties,env,reg,inf,service,desktop,srt,vtt,ass,ssa,lrc,cue,m3u,m3u8,pls,diff,patch,tex,bib,' +
    'xml,xsd,xsl,xslt,dtd,html,htm,xhtml,gpx,kml,opml,rss,atom,plist,po,pot,vcf,ics,eml,nfo,diz,asc,pem,' +
    'sh,bash,zsh,fish,bat,cmd,ps1,psm1,psd1,vbs,ahk,mk,cmake,gradle,' +
    'py,rb,js,mjs,cjs,ts,mts,cts,tsx,jsx,vue,svelte,css,scss,less,c,h,cc,cpp,hpp,cs,java,kt,swift,rs,go,lua,sql,glsl,gd,' +
    'php,pl,pm,r,jl,hs,ex,exs,erl,clj,dart,scala,groovy,pas,f90,asm,graphql,proto,tf,csproj,sln,lock'
  ).split(','),
);
/** Names without an ending that are texts, in lower case. */
const TEXT_NAMES: ReadonlySet<string> = new Set(
  (
    'readme,license,licence,copying,changelog,changes,authors,contributors,notice,install,todo,news,version,' +
    'makefile,gnumakefile,dockerfile,containerfile,vagrantfile,jenkinsfile,procfile,gemfile,rakefile,brewfile,justfile,codeowners'
  ).split(','),
);
/** Such as `.gitignore`. Reading refuses files that are no text. */
const DOT_NAME = /^\.[a-z][\w-]*$/i;
/** Types of texts that are none by their first half. */
const TEXT_TYPES = /^(text\/|application\/([\w.-]+\+)?(xml|json|yaml|toml)$|application\/(x-)?(java|ecma)script$)/;

const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/heif': 'image/heic',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heic',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'video/x-m4v': 'video/mp4',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'video/matroska': 'video/x-matroska',
  'application/x-matroska': 'video/x-matroska',
  'audio/matroska': 'audio/x-matroska',
  'text/markdown': TEXT_TYPE,
  'text/csv': TEXT_TYPE,
  'application/json': TEXT_TYPE,
};

const SHOWN: ReadonlySet<string> = new Set([...Object.values(TYPE_OF_EXTENSION), TEXT_TYPE]);

/**
 * The type to show a file as: its own when that is on the list, else what its name says, else text for a type of texts, else
 * {@link BYTES_TYPE}. SVG is on
 * the list for `<img>` only, where its scripts don't run.
 * @param name the file's name
 * @param type the MIME type that its sealer gave, with or without parameters
 */
export function renderType(name: string, type: string): string {
  const [bare = ''] = type.toLowerCase().split(';');
  const given = OTHER_SPELLINGS[bare.trim()] ?? bare.trim();
  if (SHOWN.has(given)) return given;
  // No browser plays it by itself, and a program of that ending has another type: see transport-stream.ts.
  if (given === 'video/mp2t') return BYTES_TYPE;
  const extension = extensionOf(name);
  if (TEXT_EXTENSIONS.has(extension)) return TEXT_TYPE;
  if (Object.hasOwn(TYPE_OF_EXTENSION, extension)) return TYPE_OF_EXTENSION[extension] ?? BYTES_TYPE;
  const isText = TEXT_NAMES.has(name.toLowerCase()) || DOT_NAME.test(name) || TEXT_TYPES.test(given);
  return isText ? TEXT_TYPE : BYTES_TYPE;
}

/** True for types that play from a stream. */
export const isPlayable = (type: string): boolean => /^(video|audio)\//.test(type);
