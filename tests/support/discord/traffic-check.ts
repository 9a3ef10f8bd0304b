import { checkAsked, checkTold } from '@satchel/discord-schema/traffic';
import type { TappedSite } from './discord-traffic.ts';

/** Signing in is OAuth's matter, and what it says of a person has tests of its own. */
const IS_SIGN_IN = /\/(oauth2\/|users\/@me$)/;

/** What bot and sandbox have said to each other so far that Discord would not say, or not take. */
export const trafficProblems = ({ fromDiscord, toDiscord }: TappedSite): string[] => [
  ...fromDiscord.flatMap(checkTold),
  ...toDiscord.filter(({ path }) => !IS_SIGN_IN.test(path)).flatMap(checkAsked),
];
