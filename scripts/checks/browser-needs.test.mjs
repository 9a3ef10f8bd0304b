import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../runtime/paths.mjs';
import { createFeatures, floorOf, needsOf, usesOf } from './browser-needs.mjs';

/** A feature of browser-compat-data that each browser has since a version; false where it has not. */
const since = (chrome, firefox = chrome, safari = chrome) => {
  const of = (version_added) => ({ version_added });
  const support = { chrome: of(chrome), edge: of(chrome), chrome_android: of(chrome) };
  const others = { firefox: of(firefox), firefox_android: of(firefox), safari: of(safari), safari_ios: of(safari) };
  return { __compat: { status: { standard_track: true }, support: { ...support, ...others } } };
};
const data = {
  javascript: {
    operators: { optional_chaining: since('80', '80', '13.1') },
    builtins: {
      Promise: { ...since('32', '29', '8'), withResolvers: since('119', '121', '17.4') },
      Array: { at: since('92') },
    },
  },
  api: {
    Navigator: { share: since('128', false) },
    AbortSignal: { ...since('66'), any_static: since('116') },
    Window: { prompt: since('1') },
    Walker: { at: since('40'), strange: since('200') },
  },
};
const features = createFeatures(data);
const needs = (code) => Object.fromEntries(needsOf([parseAst(code)], features));

describe('what a script needs of a browser', () => {
  it('is its syntax', () => {
    expect(needs('a?.b')).toEqual({
      'javascript.operators.optional_chaining': { chrome: 80, firefox: 80, safari: 13.001 },
    });
  });

  it('is each global, its static functions, and the members of known objects', () => {
    expect(Object.keys(needs('new Promise(f); AbortSignal.any([])'))).toEqual(
      expect.arrayContaining(['javascript.builtins.Promise', 'api.AbortSignal', 'api.AbortSignal.any_static']),
    );
    expect(needs('globalThis.navigator.share()')['api.Navigator.share'].firefox).toBe(Number.POSITIVE_INFINITY);
  });

  it('is a member of any object by its name, since the first that has one', () => {
    expect(needs('list.at(-1)')['.at'].chrome).toBe(40);
  });

  it('is none of what it declares itself', () => {
    expect(needs('function prompt() {} prompt(); const { Promise } = x; new Promise()')).toEqual({});
    expect(needs('const own = { strange: 1 }; own.strange')).toEqual({});
    expect(needs('class Own { strange() {} } it.strange()')).toEqual({});
  });

  it('is the latest version of all, with what sets it', () => {
    const floor = floorOf(needsOf([parseAst('a?.b; Promise.withResolvers()')], features));
    const by = ['.withResolvers', 'javascript.builtins.Promise.withResolvers'];
    expect(floor).toEqual({
      chrome: { number: 119, by },
      firefox: { number: 121, by },
      safari: { number: 17.004, by },
    });
  });

  it('counts what a browser had behind a flag, or has no more, as missing', () => {
    const flagged = since('50');
    flagged.__compat.support.safari = [
      { version_added: '9', flags: [{}] },
      { version_added: '8', version_removed: '9' },
    ];
    const of = createFeatures({ ...data, api: { ...data.api, Odd: flagged } });
    expect(needsOf([parseAst('new Odd()')], of).get('api.Odd').safari).toBe(Number.POSITIVE_INFINITY);
  });
});

it('the script that says what a browser lacks is ES5', () => {
  const program = parseAst(readFileSync(join(ROOT, 'apps/web/src/shell/page-needs.js'), 'utf8'));
  expect([...usesOf(program).syntax]).toEqual([]);
  const NEWER =
    /"type":"(ArrowFunctionExpression|TemplateLiteral|Class\w+|SpreadElement|RestElement|\w+Pattern|ForOfStatement|AwaitExpression)"|"kind":"(let|const)"|"shorthand":true|"(async|generator)":true/;
  expect(JSON.stringify(program)).not.toMatch(NEWER);
});
