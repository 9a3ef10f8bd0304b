import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loadTexts, type Texts, useLanguage } from '../lib/language.ts';

/** Renders a page anew in another language: sizes, dates and texts made by functions follow it no other way. */
function inLanguage(Page: ComponentType): ComponentType {
  return function InLanguage() {
    useLanguage();
    return <Page />;
  };
}

/**
 * A page whose code and texts are fetched side by side when somebody goes there.
 * @param texts the catalogues of its texts
 */
export function lazyPage<Name extends string>(
  texts: readonly Texts[],
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) {
  return lazyRouteComponent(async () => {
    const [page] = await Promise.all([load(), ...texts.map(loadTexts)]);
    return { Page: inLanguage(page[name]) };
  }, 'Page');
}
