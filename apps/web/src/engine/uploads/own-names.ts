/** The stored names of files that this page has uploaded, replaced or deleted: what becomes of them is no news to the person here. */
export const ownNames = new Set<string>();
