/** Folders that this page deletes, or has deleted, by their ids: it reads them no more. */
export const deletedHere = new Set<string>();
