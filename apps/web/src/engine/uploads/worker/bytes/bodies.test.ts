import { expect, test } from 'vitest';
import { createBodyMaker } from './bodies.ts';

const written = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];

async function bodyOf(usesDisk: boolean) {
  const body = await createBodyMaker('test', usesDisk).open();
  for (const bytes of written) body.write(bytes);
  return body.finish();
}

test('the body of a small file is an array, of which no process keeps a copy, and has the size that tus asks for', async () => {
  const body = await bodyOf(false);
  expect(body).toBeInstanceOf(Uint8Array);
  expect([...(body as Uint8Array)]).toEqual([1, 2, 3, 4, 5]);
  expect(body.size).toBe(5);
});

test('without files of its own a browser sends large bodies as Blobs', async () => {
  const body = await bodyOf(true);
  expect(body).toBeInstanceOf(Blob);
  expect([...(await (body as Blob).bytes())]).toEqual([1, 2, 3, 4, 5]);
});
