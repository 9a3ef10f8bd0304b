import type { EventKind } from '@satchel/contract/api';

/** A model of a folder's figures, by the rules of what counts as a visit (docs/decisions/010). */
export function createVisitModel() {
  const figures = { views: 0, downloads: 0, visitors: 0 };
  const seen = new Map<string, { countedAt: number; downloads: number }>();
  let minute = 0;
  return {
    figures,
    pass(minutes: number): void {
      minute += minutes;
    },
    visit(who: string, kind: EventKind): void {
      const visitor = seen.get(who) ?? { countedAt: Number.NEGATIVE_INFINITY, downloads: 0 };
      if (!seen.has(who)) figures.visitors += 1;
      seen.set(who, visitor);
      if (kind === 'download') {
        figures.downloads += 1;
        visitor.downloads += 1;
      } else if (minute - visitor.countedAt >= 5) {
        figures.views += 1;
        visitor.countedAt = minute;
      }
    },
    /** By visitor; undefined for a person who never came. */
    downloadsOf: (who: string): number | undefined => seen.get(who)?.downloads,
  };
}
