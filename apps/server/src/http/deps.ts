import type { FastifyBaseLogger } from 'fastify';
import type { Command } from '../bot/command.ts';
import type { BotTimes } from '../bot/interactions.ts';
import type { TellTimes } from '../bot/upload-replies.ts';
import type { Config } from '../config.ts';
import type { ClientGate } from '../domain/client-gate.ts';
import type { DescriptorLimits } from '../domain/descriptor-budget.ts';
import type { BlobStore } from '../platform/blobs.ts';
import type { Database } from '../platform/db.ts';
import type { Discord } from '../platform/discord.ts';
import type { DiscordPictures } from '../platform/discord-pictures.ts';
import type { DiscordRest } from '../platform/discord-rest.ts';
import type { KeySealer, OpeningSealer } from '../platform/key-sealer.ts';
import type { KeyServiceClient } from '../platform/key-service.ts';
import type { KeptShares, KeyShares } from '../platform/key-shares.ts';
import type { TextSealer } from '../platform/text-sealer.ts';
import type { Tokens } from '../platform/tokens.ts';
import type { VisitorSalts } from '../platform/visitor-salts.ts';
import type { Patience } from './patience.ts';
import type { RateLimits } from './rate-limits.ts';
import type { WebFiles } from './web-files.ts';

/** Shares and sealing secret are here, and so the key service is, too. */
export interface OwnKeys {
  readonly keyService: null;
  readonly keyShares: KeptShares;
  readonly keySealer: OpeningSealer;
}
/** They are on another machine (KEY_SERVICE_URL): nothing here opens or reads a key. */
export interface KeysElsewhere {
  readonly keyService: KeyServiceClient;
  readonly keyShares: KeyShares;
  readonly keySealer: KeySealer;
}

interface SharedDeps {
  readonly config: Config;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly tokens: Tokens;
  readonly discord: Discord;
  readonly pictures: DiscordPictures;
  readonly visitorSalts: VisitorSalts;
  /** Null: the web application has not been built, and pages answer 503. */
  readonly web: WebFiles | null;
  readonly logger: FastifyBaseLogger;
  readonly rateLimits: RateLimits;
  readonly patience: Patience;
  readonly descriptorLimits: DescriptorLimits;
  readonly gate: ClientGate;
  /** The bot's, and what it says to Discord by itself. */
  readonly commands: readonly Command[];
  readonly botTimes: BotTimes;
  readonly tellTimes: TellTimes;
  readonly discordRest: DiscordRest;
  /** Seals what edits a reply of the bot's, for as long as that is kept. */
  readonly replyTokens: TextSealer;
}

/** What the composition root hands to every route file. */
export type AppDeps = SharedDeps & (OwnKeys | KeysElsewhere);
/** The same, where the keys are. */
export type KeyedDeps = SharedDeps & OwnKeys;
/** What the key service has of it, alone on its machine (SATCHEL_ROLE=keys). */
export type KeyServiceDeps = Pick<
  KeyedDeps,
  'config' | 'database' | 'tokens' | 'logger' | 'rateLimits' | 'patience' | 'descriptorLimits' | 'gate' | keyof OwnKeys
>;
