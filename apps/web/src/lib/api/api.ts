import { createApi } from '@satchel/client/api';
import { fetchEarly } from './early-answers.ts';
import { noteServerTime } from './server-clock.ts';

/** The page's calls of the API: some were asked for before its scripts were there. */
export const { getJson, sendJson, rpc } = createApi({ fetch: fetchEarly, noteServerTime });
