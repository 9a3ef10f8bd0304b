import { useEffect } from 'react';

/**
 * Stands in for the package of that name, by which Radix locks scrolling behind a dialog (vite.config.ts). The package puts its rules
 * into a <style>, which the CSP refuses; a constructed style sheet is a script's own, as `element.style` is.
 */
export function styleSingleton() {
  const sheet = new CSSStyleSheet();
  let users = 0;
  return function Style({ styles }: { readonly styles: string }): null {
    // biome-ignore lint/correctness/useExhaustiveDependencies: the first user's rules hold until the last one is gone
    useEffect(() => {
      if (users++ === 0) {
        sheet.replaceSync(styles);
        document.adoptedStyleSheets.push(sheet);
      }
      return () => {
        if (--users === 0) document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
      };
    }, []);
    return null;
  };
}
