import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { BlobStore } from '../platform/blobs.ts';
import type { Database } from '../platform/db.ts';
import type { Discord } from '../platform/discord.ts';
import type { KeySealer } from '../platform/key-sealer.ts';
import type { KeyShares } from '../platform/key-shares.ts';
import type { Tokens } from '../platform/tokens.ts';
import type { VisitorSalts } from '../platform/visitor-salts.ts';
import type { RateLimits } from './rate-limits.ts';
import type { WebFiles } from './web-files.ts';

/** What the composition root hands to every route file. */
export interface AppDeps {
  readonly config: Config;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly tokens: Tokens;
  readonly discord: Discord;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
  readonly visitorSalts: VisitorSalts;
  /** Null: the web application has not been built, and pages answer 503. */
  readonly web: WebFiles | null;
  readonly logger: FastifyBaseLogger;
  readonly rateLimits: RateLimits;
}
