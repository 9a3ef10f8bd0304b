import type { Emitter, LanguageFn } from 'highlight.js';
import hljs from 'highlight.js/lib/core';

/** Finds the parts of a program's text that are shown in a colour. It makes no HTML: parts are plain data. */

/** What a part is; few enough that each has its own colour. */
export type CodeTone = 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'type' | 'meta' | 'added' | 'removed';

export type CodePart = string | readonly [tone: CodeTone, text: string];
export type CodeLine = readonly CodePart[];

const TONES: ReadonlyMap<string, CodeTone> = new Map(
  Object.entries({
    comment: 'comment',
    quote: 'comment',
    doctag: 'comment',
    string: 'string',
    regexp: 'string',
    char: 'string',
    link: 'string',
    symbol: 'string',
    number: 'number',
    literal: 'number',
    keyword: 'keyword',
    'selector-tag': 'keyword',
    tag: 'keyword',
    operator: 'keyword',
    title: 'name',
    name: 'name',
    section: 'name',
    attr: 'name',
    attribute: 'name',
    property: 'name',
    'selector-class': 'name',
    'selector-id': 'name',
    type: 'type',
    built_in: 'type',
    class: 'type',
    meta: 'meta',
    variable: 'meta',
    'template-variable': 'meta',
    addition: 'added',
    deletion: 'removed',
  } as const),
);

/** `title.function` is a title; `language:css` is none of ours. */
const toneOf = (scope: string): CodeTone | null => TONES.get(scope.split('.')[0] ?? '') ?? null;

/** Takes what the library finds, in place of the HTML that its own emitter would write. */
class Lines implements Emitter {
  readonly lines: CodePart[][] = [[]];
  readonly #scopes: (CodeTone | null)[] = [];

  #add(text: string): void {
    const tone = this.#scopes.findLast((scope) => scope !== null) ?? null;
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) this.lines.push([]);
      if (part !== '') this.#join(tone, part);
    }
  }

  /** What has the tone of the part before belongs to it: each part becomes an element of the page. */
  #join(tone: CodeTone | null, text: string): void {
    const line = this.lines.at(-1) ?? [];
    const last = line.at(-1);
    const lastText = typeof last === 'string' ? last : last?.[1];
    const lastTone = typeof last === 'string' ? null : last?.[0];
    const joins = lastText !== undefined && lastTone === tone;
    if (joins) line.pop();
    const whole = joins ? `${lastText}${text}` : text;
    line.push(tone === null ? whole : [tone, whole]);
  }

  startScope(scope: string): void {
    this.#scopes.push(toneOf(scope));
  }
  endScope(): void {
    this.#scopes.pop();
  }
  /** The names of these two before version 11.9, which the library still calls. */
  openNode(scope: string): void {
    this.startScope(scope);
  }
  closeNode(): void {
    this.endScope();
  }
  addText(text: string): void {
    this.#add(text);
  }
  __addSublanguage(other: Emitter): void {
    for (const [at, line] of (other as Lines).lines.entries()) {
      if (at > 0) this.lines.push([]);
      this.lines.at(-1)?.push(...line);
    }
  }
  finalize(): void {}
  toHTML(): string {
    return '';
  }
}

hljs.configure({ __emitter: Lines });

/** Each loads when a file of its language is looked at. */
const GRAMMARS: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  dos: () => import('highlight.js/lib/languages/dos'),
  glsl: () => import('highlight.js/lib/languages/glsl'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  latex: () => import('highlight.js/lib/languages/latex'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scss: () => import('highlight.js/lib/languages/scss'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

/**
 * The lines of a program's text, in parts.
 * @param language a name of codeLanguage
 * @throws TypeError for a language without a grammar
 */
export async function highlightCode(text: string, language: string): Promise<readonly CodeLine[]> {
  const load = Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
  if (!load) throw new TypeError(`no grammar for ${language}`);
  if (!hljs.getLanguage(language)) hljs.registerLanguage(language, (await load()).default);
  const { _emitter } = hljs.highlight(text, { language, ignoreIllegals: true });
  return (_emitter as Lines).lines;
}
