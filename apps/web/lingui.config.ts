import { defineConfig } from '@lingui/cli';
import { createBabelExtractor } from '@lingui/cli/api/extractors/babel';
import { formatter } from '@lingui/format-po';

const parts = (...paths: string[]) => paths.map((path) => `<rootDir>/src/${path}`);

/** What every page says, the landing page too; what the others share is `common`. */
const SHELL = parts(
  'shell',
  'ui/base',
  'lib/texts',
  'account/session',
  // It is there before any catalogue of the page behind it.
  'pages/operator-gate.tsx',
);

/** Parts of the folder page that open on a click. */
const LATER = parts(
  'engine/zip',
  'engine/reports',
  'features/files/actions/delete-files-dialog.tsx',
  'features/files/directories',
  'features/files/foreign-notice.tsx',
  'features/files/list',
  'features/files/rename',
  'features/files/viewer',
  'features/files/zip',
  'features/folder/keyboard-help.tsx',
  'features/folder/keys/grant-door.tsx',
  'features/folder/keys/open-pasted-link.ts',
  'features/folder/keys/passphrase-prompt.tsx',
  'features/folder/rename-form.tsx',
  'features/folder/server-sight.tsx',
  'features/folder/taken-down.tsx',
  'features/report',
);

/** Said above files that this device has no key for. */
const LOCKED = parts('features/folder/keys/key-notice.tsx', 'features/folder/keys/key-field.tsx');

/** Comes with the visitor's first act. */
const FOOT = parts('ui/site-footer.tsx', 'engine/links');

/** Where a folder is made, and in Share: other pages don't ask it. */
const LINK_MODE = parts('ui/forms/link-mode-choice.tsx');

const EXCLUDED: Record<string, string[]> = {
  common: [...SHELL, ...LINK_MODE, ...FOOT],
  folder: [...LATER, ...LOCKED],
};

/**
 * A catalogue for each part of the site that loads on its own: a browser downloads only the texts of the pages it opens.
 * lib/texts/language.ts loads them; English is the source text in the code.
 */
const CATALOGUES: Record<string, string[]> = {
  shell: SHELL,
  common: parts('account', 'engine/folders', 'lib', 'ui', 'pages/not-found.tsx'),
  landing: parts('features/landing', 'pages/landing.tsx'),
  foot: FOOT,
  privacy: parts('pages/privacy.tsx'),
  account: parts('features/auth', 'features/profile', 'pages/auth.tsx', 'pages/auth-callback.tsx', 'pages/profile.tsx'),
  create: [...LINK_MODE, ...parts('features/create-folder', 'engine/passphrase', 'pages/create-folder.tsx')],
  folder: [
    ...parts('engine/files', 'features/folder', 'features/files', 'pages/folder'),
    // The parts of uploading that show before the first upload.
    ...parts('features/upload/sign-up-prompt.tsx', 'features/upload/choose/use-file-drops.ts'),
  ],
  later: LATER,
  locked: LOCKED,
  upload: parts('engine/uploads', 'features/upload'),
  share: [...LINK_MODE, ...parts('features/share', 'engine/passphrase')],
  settings: parts('features/settings'),
  activity: parts('features/activity'),
  operator: parts('features/operator', 'engine/reports', 'pages/operator.tsx'),
};

/** What marks a text: an import of Lingui's, a call of its `i18n`, or its comment. */
const CAN_HAVE_TEXTS = /lingui|i18n/;
const babel = createBabelExtractor();
/** Leaves out the files without texts: to parse those would be half of the work. */
const extractor: typeof babel = {
  match: babel.match,
  extract: async (name, code, ...rest) => {
    if (CAN_HAVE_TEXTS.test(code)) await babel.extract(name, code, ...rest);
  },
};

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de', 'fr', 'es'],
  catalogs: Object.entries(CATALOGUES).map(([name, include]) => ({
    path: `<rootDir>/src/locales/{locale}/${name}`,
    include,
    exclude: ['**/*.test.*', ...(EXCLUDED[name] ?? [])],
  })),
  extractors: [extractor],
  // Line numbers would change these files with every edit of the code.
  format: formatter({ lineNumbers: false, origins: true, printLinguiId: false }),
  orderBy: 'messageId',
  compileNamespace: 'es',
});
