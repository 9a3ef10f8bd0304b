import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createClientGate } from './client-gate.ts';

/** Tasks that end when the test says so. */
function createTasks(gate: ReturnType<typeof createClientGate>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const give = (client: string, name: string) =>
    gate.run(client, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  /** Long enough for a place in the queue to be handed over. */
  const turn = async () => {
    for (const _ of [1, 2, 3]) await setImmediate();
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, give, end, turn };
}

describe('a gate', () => {
  test('runs a few tasks of each client at once and queues the rest in order', async () => {
    const { begun, give, end, turn } = createTasks(createClientGate({ running: 2, queued: 10 }));
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => give('a', name));
    await turn();
    expect(begun).toEqual(['a1', 'a2']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    await end('a3');
    await end('a4');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  test('never makes one client wait for another', async () => {
    const { begun, give, turn } = createTasks(createClientGate({ running: 1, queued: 10 }));
    for (const name of ['a1', 'a2', 'a3']) void give('a', name);
    void give('b', 'b1');
    await turn();
    expect(begun).toEqual(['a1', 'b1']);
  });

  test('refuses a task when the queue is full, and accepts one again once there is room', async () => {
    const { begun, give, end, turn } = createTasks(createClientGate({ running: 1, queued: 2 }));
    for (const name of ['a1', 'a2', 'a3']) void give('a', name);
    await expect(give('a', 'a4')).rejects.toMatchObject({
      code: 'request.too_many',
      params: { retry_after_seconds: 2 },
    });
    await turn();
    await end('a1');
    void give('a', 'a5');
    await end('a2');
    await end('a3');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a5']);
  });

  test('lets the event loop run between two tasks, however short they are', async () => {
    const gate = createClientGate({ running: 1, queued: 100 });
    let done = 0;
    const all = Array.from({ length: 50 }, () => gate.run('a', async () => void done++));
    for (const _ of [1, 2, 3, 4, 5]) await setImmediate();
    expect(done).toBeGreaterThan(1);
    expect(done).toBeLessThan(10);
    await Promise.all(all);
    expect(done).toBe(50);
  });

  test('continues after a task that fails', async () => {
    const gate = createClientGate({ running: 1, queued: 2 });
    const failed = gate.run('a', async () => {
      throw new Error('failed on purpose');
    });
    const after = gate.run('a', async () => 'done');
    await expect(failed).rejects.toThrow('failed on purpose');
    expect(await after).toBe('done');
    expect(await gate.run('a', async () => 'again')).toBe('again');
  });
});
