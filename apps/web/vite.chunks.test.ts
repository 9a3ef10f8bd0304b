import type { Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { fewerChunks } from './vite.chunks.ts';

const RUNTIME = 'assets/rolldown-runtime-AAAAAAAA.js';
const SHELL = 'assets/shell-BBBBBBBB.js';

const chunk = (fileName: string, code: string, imports: readonly string[]) =>
  ({ type: 'chunk', name: fileName.split(/[/-]/)[1], fileName, code, imports, dynamicImports: [] }) as unknown;

/** @returns the scripts' codes, by name, once there are fewer of them */
function codesOf(...chunks: unknown[]): Readonly<Record<string, string>> {
  const bundle = Object.fromEntries((chunks as Rolldown.OutputChunk[]).map((each) => [each.fileName, each]));
  const { handler } = fewerChunks().generateBundle as { handler: (...given: unknown[]) => void };
  handler.call({ environment: { name: 'client' } }, {}, bundle);
  return Object.fromEntries(Object.values(bundle).map(({ fileName, code }) => [fileName, code]));
}

test('a script imports the shell only where its own name changes with the shell’s: a browser keeps it for a year', () => {
  const helpers = 'var a=()=>`one`,b=()=>`two`;export{b as n,a as t};';
  const codes = codesOf(
    chunk(RUNTIME, helpers, []),
    chunk(SHELL, 'import{t as e}from"./rolldown-runtime-AAAAAAAA.js";var s=e();export{s};', [RUNTIME]),
    chunk(
      'assets/data-CCCCCCCC.js',
      'import{n as e}from"./rolldown-runtime-AAAAAAAA.js";import{s}from"./shell-BBBBBBBB.js";e(s);',
      [RUNTIME, SHELL],
    ),
    chunk('assets/texts-DDDDDDDD.js', 'import{n as e,t as i}from"./rolldown-runtime-AAAAAAAA.js";e()+i();', [RUNTIME]),
  );
  expect(Object.keys(codes)).not.toContain(RUNTIME);
  expect(codes['assets/data-CCCCCCCC.js']).toBe(
    'import{runtimeHelper_n as e}from"./shell-BBBBBBBB.js";import{s}from"./shell-BBBBBBBB.js";e(s);',
  );
  expect(codes['assets/texts-DDDDDDDD.js']).toBe(
    'var{n:e,t:i}=(()=>{var a=()=>`one`,b=()=>`two`;return{n:b,t:a}})();e()+i();',
  );
});
