import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loadTexts, type Texts } from '../lib/language.ts';

/**
 * A page whose code and texts are fetched side by side when somebody goes there.
 * @param texts the catalogue of its texts
 */
export function lazyPage<Name extends string>(
  texts: Texts,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(async () => (await Promise.all([load(), loadTexts(texts)]))[0], name);
}
