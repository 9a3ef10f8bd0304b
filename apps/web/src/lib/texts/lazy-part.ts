import { type LazyExoticComponent, lazy } from 'react';
import { importPatiently } from '../base/patient-import.ts';
import { importWithTexts } from './import-with-texts.ts';
import type { Texts } from './language.ts';

/** Any component: what `lazy` takes. */
type Part = ReturnType<typeof lazy> extends LazyExoticComponent<infer Any> ? Any : never;

/**
 * A component whose code is fetched when it is first shown, and its texts beside it. Fetching is tried until it succeeds:
 * see {@link importPatiently}.
 * @param name the component's name in its module
 * @param texts the catalogue of its texts, when no page above it has loaded that
 */
export const lazyPart = <Module extends Record<Name, Part>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
  texts?: Texts,
): LazyExoticComponent<Module[Name]> =>
  lazy(async () => {
    const code = texts ? await importWithTexts(texts, load) : await importPatiently(load);
    return { default: code[name] };
  });
