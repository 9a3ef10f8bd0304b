import { checkAsked, checkTold } from '@satchel/discord-sandbox/schema/traffic';
import { isLost } from '../people/lost-answers.ts';
import type { TappedSite } from './discord-traffic.ts';

/** Not checked here: sign-in is OAuth, and its personal data has tests of its own. */
const IS_SIGN_IN = /\/(oauth2\/|users\/@me$)/;

/** Messages between bot and sandbox so far that Discord would neither send nor accept. */
export const trafficProblems = ({ fromDiscord, toDiscord }: TappedSite): string[] => [
  ...fromDiscord.filter(({ status }) => !isLost(status)).flatMap(checkTold),
  ...toDiscord.filter(({ path }) => !IS_SIGN_IN.test(path)).flatMap(checkAsked),
];
