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

/** Where a folder is reported, and where an operator reads why. */
const REPORT_REASONS = parts('ui/report-reasons.ts');

/** Parts of the folder page that open on a click. */
const LATER = [
  ...REPORT_REASONS,
  ...parts(
    'features/files/actions/delete-files-dialog.tsx',
    'features/files/directories',
    'features/files/foreign-notice.tsx',
    'features/files/list',
    'features/files/rename',
    'features/files/saving/compare-dock.tsx',
    'features/files/saving/program-question.tsx',
    'features/files/saving/saving-limits.tsx',
    'features/files/viewer',
    'features/files/zip',
    'features/folder/folder-ends.tsx',
    'features/folder/keyboard-help.tsx',
    'features/folder/keys/grant-door.tsx',
    'features/folder/keys/key-notice.tsx',
    'features/folder/keys/open-pasted-link.ts',
    'features/folder/keys/passphrase-form.tsx',
    'features/folder/keys/sent-key.ts',
    'features/folder/rename-form.tsx',
    'features/folder/server-sight.tsx',
    'features/folder/taken-down.tsx',
    'features/report',
  ),
];

/** Said above files that this device has no key for. */
const LOCKED = parts('features/folder/keys/key-field.tsx', 'features/folder/keys/sealed-panel.tsx');

/** Comes with the visitor's first act, or where the browser keeps nothing. */
const FOOT = parts('ui/site-footer.tsx', 'ui/states/storage-notice.tsx', 'shell/late');

/** Comes once the site is an app. */
const APP = parts('shell/app');

/** Where a folder is made, and in Share: other pages don't ask it. */
const LINK_MODE = parts('ui/forms/link-mode-choice.tsx', 'ui/forms/passphrase-fault-text.ts');

const EXCLUDED: Record<string, string[]> = {
  shell: [...FOOT, ...APP],
  common: [...SHELL, ...LINK_MODE, ...FOOT, ...REPORT_REASONS],
  folder: [...LATER, ...LOCKED],
};

/**
 * A catalogue for each part of the site that loads on its own: a browser downloads only the texts of the pages it opens.
 * lib/texts/language.ts loads them; English is the source text in the code.
 */
const CATALOGUES: Record<string, string[]> = {
  shell: SHELL,
  common: parts('account', 'lib', 'ui', 'pages/not-found.tsx'),
  landing: parts('features/landing', 'pages/landing.tsx'),
  foot: FOOT,
  privacy: [...APP, ...parts('pages/check.tsx', 'pages/docs.tsx', 'pages/privacy.tsx')],
  account: parts('features/auth', 'features/profile', 'pages/auth.tsx', 'pages/auth-callback.tsx', 'pages/profile.tsx'),
  device: parts('features/device', 'pages/device.tsx'),
  create: [...LINK_MODE, ...parts('features/create-folder', 'pages/create-folder.tsx')],
  folder: [
    ...parts('features/folder', 'features/files', 'pages/folder'),
    // It shows before the first upload.
    ...parts('features/upload/choose/use-file-drops.ts'),
  ],
  later: LATER,
  locked: LOCKED,
  upload: parts('features/upload'),
  share: [...LINK_MODE, ...parts('features/share')],
  settings: parts('features/settings'),
  activity: parts('features/activity'),
  operator: [...REPORT_REASONS, ...parts('features/operator', 'pages/operator.tsx')],
};

/** What marks a text: an import of Lingui's, a call of its `i18n`, or its comment. */
const CAN_HAVE_TEXTS = /lingui|i18n/;
const babel = createBabelExtractor();
/** Leaves out the files without texts: parsing them would be half of the work. */
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
