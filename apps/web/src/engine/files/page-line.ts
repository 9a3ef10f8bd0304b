import type { OpeningLine } from '@satchel/client/open/open-range';
import { isServerThere } from '../../lib/api/server-there.ts';
import { releaseChunk } from '../../lib/browser/release-chunk.ts';
import { directFetch } from './direct/direct-fetch.ts';

/** How this page and its workers come to stored bytes. */
export const PAGE_LINE: OpeningLine = { fetch: directFetch, isThere: isServerThere, release: releaseChunk };
