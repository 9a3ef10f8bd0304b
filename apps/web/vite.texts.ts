import { getConfig } from '@lingui/conf';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';

const cwd = import.meta.dirname;
// The macro's own search begins at the folder that a command was started in.
const linguiConfig = getConfig({ cwd });

/** Turns the macros of texts into message ids. Tests need no catalogue: every message keeps its English there. */
export const textMacros = () => babel({ presets: [linguiTransformerBabelPreset({ linguiConfig }, { cwd })] });

/** Macros and catalogues. A text that a language lacks is shown in English; `npm test` finds it. */
export const texts = () => [lingui({ cwd, failOnCompileError: true }), textMacros()];
