import { expect, test } from 'vitest';
import { createControl } from './control.ts';

/** Whether a promise is settled after all that was ready to run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  return settled;
}

test('a pause aborts the signal, and holds until the resume, which brings a fresh one', async () => {
  const control = createControl(true);
  const before = control.signal();
  expect(await isSettled(control.running())).toBe(true);
  control.pause();
  expect(before.aborted).toBe(true);
  const running = control.running();
  expect(await isSettled(running)).toBe(false);
  control.resume();
  expect(await isSettled(running)).toBe(true);
  expect(control.signal().aborted).toBe(false);
});

test('a resume without a pause changes nothing', () => {
  const control = createControl(true);
  const signal = control.signal();
  control.resume();
  expect(control.signal()).toBe(signal);
});

test('waiting for the network ends when it comes, or at a pause', async () => {
  const control = createControl(false);
  const waiting = control.networkOrPause();
  expect(await isSettled(waiting)).toBe(false);
  control.setOnline(true);
  expect(await isSettled(waiting)).toBe(true);
  control.setOnline(false);
  const again = control.networkOrPause();
  control.pause();
  expect(await isSettled(again)).toBe(true);
  expect(control.online).toBe(false);
});

test('a rest ends early when the network comes back or the upload is paused', async () => {
  const control = createControl(false);
  const rest = control.rest(60_000);
  expect(await isSettled(rest)).toBe(false);
  control.setOnline(true);
  expect(await isSettled(rest)).toBe(true);
  const second = control.rest(60_000);
  control.pause();
  expect(await isSettled(second)).toBe(true);
});

test('a rest ends by itself', async () => {
  await createControl(true).rest(1);
});

test('an attempt ends when the network is lost, without counting as paused', () => {
  const control = createControl(true);
  const attempt = control.attemptSignal();
  control.setOnline(false);
  expect([attempt.aborted, control.signal().aborted]).toEqual([true, false]);
  control.setOnline(true);
  expect(control.attemptSignal().aborted).toBe(false);
  const next = control.attemptSignal();
  control.pause();
  expect(next.aborted).toBe(true);
});
