/** Chromium and Firefox have it; TypeScript's DOM library lacks it. */
const { scheduler } = globalThis as { readonly scheduler?: { readonly yield?: () => Promise<void> } };

/** Lets the page draw and take input in the middle of long work. */
export const yieldToPage = (): Promise<void> => scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
