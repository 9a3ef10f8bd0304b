import { loadTexts, type Texts } from './language.ts';
import { importPatiently } from './patient-import.ts';

/**
 * Loads code that can wait, and its texts beside it; without a network both come once there is one.
 * @throws what the import throws while there is a network
 */
export const importWithTexts = <T>(texts: Texts, load: () => Promise<T>): Promise<T> =>
  importPatiently(async () => {
    const [code] = await Promise.all([load(), loadTexts(texts)]);
    return code;
  });
