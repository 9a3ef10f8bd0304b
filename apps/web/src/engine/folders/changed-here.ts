/**
 * The ids of folders that this page itself is changing. The page ignores the server's news of them: of a folder that it
 * deletes from then on, of a folder whose link it changes until the server has answered.
 */
export const changedHere = new Set<string>();
