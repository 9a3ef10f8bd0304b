import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

const parts = (...paths: string[]) => paths.map((path) => `<rootDir>/src/${path}`);

/** What every page says, the landing page too; what the others share is `common`. */
const SHELL = [
  ...parts('app/announcer.tsx', 'app/display-options.tsx', 'app/error-screen.tsx', 'app/shell.tsx', 'app/top-bar.tsx'),
  ...parts('lib/amounts.ts', 'lib/session-state.ts', 'ui/button.tsx'),
  // It is there before any catalogue of the page behind it.
  ...parts('pages/operator-gate.tsx'),
];

/** What of the folder page opens when somebody asks for it. */
const LATER = parts(
  'features/files/delete-files-dialog.tsx',
  'features/files/file-viewer.tsx',
  'features/files/foreign-notice.tsx',
  'features/files/text-content.tsx',
  'features/files/viewer-content.tsx',
  'features/files/zip-dock.tsx',
  'features/files/zip-run.ts',
  'features/files/zoom-image.tsx',
  'features/folder/grant-door.tsx',
  'features/folder/keyboard-help.tsx',
  'features/folder/passphrase-prompt.tsx',
  'features/folder/server-sight.tsx',
  'features/folder/taken-down.tsx',
  'features/report',
  'lib/report-reasons.ts',
);

/** Said above files that this device has no key for. */
const LOCKED = parts('features/folder/key-notice.tsx');

/** Said by whoever reports and by whoever reads reports. */
const REASONS = parts('lib/report-reasons.ts');

/** Said by the form for a new folder and by Share. */
const PASSPHRASES = parts('lib/passphrase-fault.ts');

const EXCLUDED: Record<string, string[]> = {
  common: [...SHELL, ...REASONS, ...PASSPHRASES],
  folder: [...LATER, ...LOCKED],
};

/**
 * A catalogue for each part of the site that loads on its own: nobody downloads the texts of a page that they don't open.
 * lib/language.ts loads them; English is the source text in the code.
 */
const CATALOGUES: Record<string, string[]> = {
  shell: SHELL,
  common: parts('app', 'lib', 'ui', 'pages/no-slug.tsx', 'pages/not-found.tsx'),
  landing: parts('features/landing', 'pages/landing.tsx'),
  account: parts('features/auth', 'features/profile', 'pages/auth.tsx', 'pages/auth-callback.tsx', 'pages/profile.tsx'),
  create: [...parts('features/create-folder', 'pages/create-folder.tsx'), ...PASSPHRASES],
  folder: [
    ...parts('features/folder', 'features/files', 'pages/folder*.tsx', 'pages/use-*.ts', 'pages/active-folder.tsx'),
    // What of uploading shows before anybody uploads.
    ...parts('features/upload/sign-up-prompt.tsx', 'features/upload/use-file-drops.ts'),
  ],
  later: LATER,
  locked: LOCKED,
  upload: parts('features/upload'),
  share: [...parts('features/share'), ...PASSPHRASES],
  settings: parts('features/settings'),
  activity: parts('features/activity'),
  operator: parts('features/operator', 'lib/report-reasons.ts', 'pages/operator.tsx'),
};

export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: Object.entries(CATALOGUES).map(([name, include]) => ({
    path: `<rootDir>/src/locales/{locale}/${name}`,
    include,
    exclude: ['**/*.test.*', ...(EXCLUDED[name] ?? [])],
  })),
  // Line numbers would change these files with every edit of the code.
  format: formatter({ lineNumbers: false, origins: true, printLinguiId: false }),
  orderBy: 'messageId',
  compileNamespace: 'es',
});
