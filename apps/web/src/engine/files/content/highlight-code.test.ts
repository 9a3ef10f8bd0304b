import { expect, test } from 'vitest';
import { contentKind } from '../content-kind.ts';
import { codeLanguage } from './code-language.ts';
import { highlightCode } from './highlight-code.ts';

const EXTENSIONS =
  'sh,c,h,cpp,hpp,cs,css,diff,patch,glsl,go,ini,cfg,conf,toml,java,js,mjs,jsx,json,jsonl,kt,tex,lua,py,gd,rb,rs,scss,sql,swift,ts,tsx,yml,yaml';

test('a program’s text has toned parts, and nothing of it is lost or made markup', async () => {
  const text = 'const a = "<b>";\n// end & more\n';
  expect(await highlightCode(text, 'javascript')).toEqual([
    [['keyword', 'const'], ' a = ', ['string', '"<b>"'], ';'],
    [['comment', '// end & more']],
    [],
  ]);
});

test('a part that goes over several lines is toned in each', async () => {
  expect(await highlightCode('/* a\nb */ c', 'css')).toEqual([[['comment', '/* a']], [['comment', 'b */'], ' c']]);
});

test('every file name’s language has a grammar, which keeps every character', async () => {
  const text = 'x = [1, "two", {three: <4>}] # é\n-- 5 // 6\n\n\t`$7` <style>a{b:c}</style>\n';
  for (const extension of EXTENSIONS.split(',')) {
    const language = codeLanguage(`a.${extension}`) ?? '';
    const lines = await highlightCode(text, language);
    const joined = lines
      .map((line) => line.map((part) => (typeof part === 'string' ? part : part[1])).join(''))
      .join('\n');
    expect(joined, language).toBe(text);
    expect(contentKind(`a.${extension}`, ''), extension).toBe('code');
  }
});

test('other texts are no program’s', async () => {
  expect(['a.txt', 'a.md', 'README', 'a.constructor'].map(codeLanguage)).toEqual([null, null, null, null]);
  await expect(highlightCode('x', 'constructor')).rejects.toThrow(TypeError);
});
