/**
 * Folders that this page itself changes, by their ids: what others are told of that is no news to it. It reads a folder no
 * more from its deletion on, and one whose link it changes only once the server has answered.
 */
export const changedHere = new Set<string>();
