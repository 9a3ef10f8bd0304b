import { randomBytes } from 'node:crypto';
import { lt, sql } from 'drizzle-orm';
import { type Db, rowsOf } from '../database/db.ts';
import { visitor_salts } from '../schema/site.ts';
import type { TextSealer } from './text-sealer.ts';
import { pseudonymUnder, SALT_BYTES, type VisitorSalts } from './visitor-salts.ts';

/** Other nodes agree on another salt only after a crash of the database: nodes ask for it again after this time. */
const ASKED_AGAIN_MS = 60_000;
const TODAY = sql`(now() at time zone 'utc')::date`;
const MS_LEFT = sql`extract(epoch from (${TODAY} + 1) - (now() at time zone 'utc')) * 1000`;
const CONTEXT = 'visitor salt';

/**
 * Salts that all nodes of a site share, so that a stranger counts once on whichever nodes their requests land: sealed
 * under SESSION_SECRET, in a table that the write-ahead log leaves out.
 * @param sealer the same on every node
 */
export function createSharedVisitorSalts({ db, sealer }: { db: Db; sealer: TextSealer }): VisitorSalts {
  let current: { readonly untilMs: number; readonly salt: Buffer } | undefined;
  let asking: Promise<Buffer> | undefined;

  /** The salt of today: the one that is there, or a new one that the first node stores. */
  async function ask(): Promise<Buffer> {
    const askedAtMs = performance.now();
    const store = async (isReplaced: boolean) => {
      const fresh = sealer.seal(randomBytes(SALT_BYTES).toString('base64url'), CONTEXT);
      const kept = isReplaced ? sql`excluded.sealed_salt` : sql`${visitor_salts}.sealed_salt`;
      const result = await db.execute(sql`
        insert into visitor_salts (day, sealed_salt) values (${TODAY}, ${fresh})
        on conflict (day) do update set sealed_salt = ${kept}
        returning sealed_salt, ${MS_LEFT}::float8 as ms_left`);
      return rowsOf<{ sealed_salt: string; ms_left: number }>(result)[0]!;
    };
    let { sealed_salt, ms_left } = await store(false);
    let salt = sealer.open(sealed_salt, CONTEXT);
    if (salt === null) {
      // Sealed under a SESSION_SECRET that was replaced since: no node can open it any more.
      ({ sealed_salt, ms_left } = await store(true));
      salt = sealer.open(sealed_salt, CONTEXT);
    }
    const bytes = Buffer.from(salt ?? '', 'base64url');
    current = { untilMs: askedAtMs + Math.min(ms_left, ASKED_AGAIN_MS), salt: bytes };
    return bytes;
  }

  async function saltOfToday(): Promise<Buffer> {
    if (current && performance.now() < current.untilMs) return current.salt;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  return {
    pseudonymOf: async (folderId, stranger) => pseudonymUnder(await saltOfToday(), folderId, stranger),
    async purgePast() {
      await db.delete(visitor_salts).where(lt(visitor_salts.day, TODAY));
    },
  };
}
