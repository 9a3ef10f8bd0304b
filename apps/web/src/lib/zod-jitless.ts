import { config } from 'zod';

/** Zod probes for `new Function` when a schema is made, and the CSP would report each probe. Must run before any schema. */
config({ jitless: true });
