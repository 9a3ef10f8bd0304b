import type { FastifyBaseLogger } from 'fastify';
import type { Command } from '../bot/command.ts';
import type { BotTimes } from '../bot/interactions.ts';
import type { TellTimes } from '../bot/upload/upload-replies.ts';
import type { Config } from '../config.ts';
import type { ClientGate } from '../domain/base/client-gate.ts';
import type { DescriptorLimits } from '../domain/base/descriptor-budget.ts';
import type { BlobStore } from '../platform/blobs/blobs.ts';
import type { DirectAccess } from '../platform/blobs/direct/direct-access.ts';
import type { ChangeChannel } from '../platform/database/change-channel.ts';
import type { Database } from '../platform/database/db.ts';
import type { Discord } from '../platform/discord/discord-oauth.ts';
import type { DiscordPictures } from '../platform/discord/discord-pictures.ts';
import type { DiscordRest } from '../platform/discord/discord-rest.ts';
import type { KeySealer, OpeningSealer } from '../platform/keys/key-sealer.ts';
import type { KeyServiceClient } from '../platform/keys/key-service.ts';
import type { KeyShares, LocalKeyShares } from '../platform/keys/key-shares.ts';
import type { TakenBackJournal } from '../platform/keys/taken-back-journal.ts';
import type { TextSealer } from '../platform/keys/text-sealer.ts';
import type { Tokens } from '../platform/keys/tokens.ts';
import type { VisitorSalts } from '../platform/keys/visitor-salts.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { FreeSpace } from '../platform/site/free-space.ts';
import type { Readiness } from './ops/readiness.ts';
import type { RateLimits } from './rate-limits.ts';
import type { ContentLinks } from './storage/content-links.ts';
import type { Timeouts } from './timeouts.ts';
import type { WebFiles } from './web/web-files.ts';

/** Key shares and the sealing secret are on this machine, and so is the key service. */
export interface OwnKeys {
  readonly keyService: null;
  readonly keyShares: LocalKeyShares;
  readonly keySealer: OpeningSealer;
  readonly journal: TakenBackJournal;
}
/** The keys are on another machine (KEY_SERVICE_URL): this one neither opens nor reads a key. */
export interface KeysElsewhere {
  readonly keyService: KeyServiceClient;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
}

interface SharedDeps {
  readonly config: Config;
  readonly database: Database;
  /** Where other nodes hear of changed folders; null in tests of one node. */
  readonly changeChannel: ChangeChannel | null;
  readonly blobs: BlobStore;
  /** With BLOBS_DIRECT; null where all bytes come from this server. */
  readonly direct: DirectAccess | null;
  readonly tokens: Tokens;
  /** Links to bytes on the origin of USERCONTENT_URL; null where they come from the site's own. */
  readonly contentLinks: ContentLinks | null;
  readonly discord: Discord;
  readonly pictures: DiscordPictures;
  readonly visitorSalts: VisitorSalts;
  /** Null if the web application has not been built: pages then answer 503. */
  readonly web: WebFiles | null;
  readonly freeSpace: FreeSpace;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimits;
  readonly timeouts: Timeouts;
  readonly descriptorLimits: DescriptorLimits;
  readonly gate: ClientGate;
  readonly readiness: Readiness;
  /** The bot's commands, and its own calls to Discord. */
  readonly commands: readonly Command[];
  readonly botTimes: BotTimes;
  readonly tellTimes: TellTimes;
  readonly discordRest: DiscordRest;
  /** Seals the tokens of the bot's replies while they are stored. */
  readonly replyTokens: TextSealer;
}

/** What the composition root passes to each route file. */
export type AppDeps = SharedDeps & (OwnKeys | KeysElsewhere);
/** The same on a machine that has the keys. */
export type KeyedDeps = SharedDeps & OwnKeys;
/** What the key service needs when it runs alone on its machine (SATCHEL_ROLE=keys). */
export type KeyServiceDeps = Pick<
  KeyedDeps,
  | 'config'
  | 'database'
  | 'tokens'
  | 'logger'
  | 'rateLimits'
  | 'timeouts'
  | 'descriptorLimits'
  | 'gate'
  | 'metrics'
  | 'freeSpace'
  | 'readiness'
  | keyof OwnKeys
>;
