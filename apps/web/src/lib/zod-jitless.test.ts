import { expect, test } from 'vitest';

test('zod takes the setting over when it loads, and so never probes for eval', async () => {
  await import('./zod-jitless.ts');
  const { config } = await import('zod');
  expect(config().jitless).toBe(true);
});
