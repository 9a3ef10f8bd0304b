/** tus-js-client 4 looks for window.localStorage while it is imported; in a worker there is no window (CONTAINER §4). */
(globalThis as { window?: unknown }).window ??= globalThis;
