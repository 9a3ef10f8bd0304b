/**
 * Zod probes for `new Function` when a schema is made, and our CSP would report each probe. It reads this object when it
 * loads, whichever chunk it comes in; so main.tsx imports this first, and zod itself loads only with the first schema.
 */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

export {};
