/** The text of /manifest.json of this command's own release: the build puts it here (scripts/launch/build-outputs.mjs). */
export const BUILT_IN: string | null = null;
