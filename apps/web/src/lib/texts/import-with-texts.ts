import { t } from '@lingui/core/macro';
import { importPatiently } from '../base/patient-import.ts';
import { notify } from '../base/toast.ts';
import { loadTexts, type Texts } from './language.ts';

const sayTrouble = () => notify(() => t`A part of this page could not be loaded. Reload the page.`, 'error');

/** Loads code that can wait, and its texts beside it. Never rejects: see {@link importPatiently}. */
export const importWithTexts = <T>(texts: Texts, load: () => Promise<T>): Promise<T> =>
  importPatiently(async () => {
    const [code] = await Promise.all([load(), loadTexts(texts)]);
    return code;
  }, sayTrouble);
