/** The number of entries in one answer: for nearly every folder all of them. */
export const PAGE_ENTRIES = 250;

/** What asks for a part of a folder's list. By time: a file that is added in between comes after the pages already read. */
export const listRequest = (storagePath: string, offset: number, limit: number = PAGE_ENTRIES) => ({
  prefix: storagePath,
  limit,
  offset,
  sortBy: { column: 'created_at', order: 'asc' },
});
