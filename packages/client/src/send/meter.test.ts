import { expect, test } from 'vitest';
import type { SendEvent, UploadProgress } from './order.ts';
import { createMeter } from './transfer.ts';

function newMeter() {
  const events: SendEvent[] = [];
  const clock = { nowMs: 0 };
  const meter = createMeter(
    (event) => events.push(event),
    () => clock.nowMs,
  );
  const told = () =>
    events.filter((event) => event.type === 'progress').map(({ type: _, ...progress }): UploadProgress => progress);
  return { meter, events, told, clock };
}

test('progress is reported at most four times a second, and the rest on request', () => {
  const { meter, told, clock } = newMeter();
  meter.reset(1000);
  for (let bytes = 1; bytes <= 100; bytes += 1) meter.uploaded(bytes);
  expect(told()).toEqual([{ bytesSealed: 0, bytesUploaded: 0, bytesTotal: 1000 }]);
  clock.nowMs = 249;
  meter.uploaded(100);
  expect(told()).toHaveLength(1);
  clock.nowMs = 250;
  meter.uploaded(101);
  expect(told().at(-1)?.bytesUploaded).toBe(101);
  meter.uploaded(102);
  meter.flush();
  meter.flush();
  expect(told().map(({ bytesUploaded }) => bytesUploaded)).toEqual([0, 101, 102]);
});

test('what is sealed again for a retry does not count back; what was checked counts as both', () => {
  const { meter, told } = newMeter();
  meter.reset(1000);
  meter.sealed(600);
  meter.sealed(300);
  meter.flush();
  expect(told().at(-1)).toEqual({ bytesSealed: 600, bytesUploaded: 0, bytesTotal: 1000 });
  meter.checked(700);
  meter.flush();
  expect(told().at(-1)).toEqual({ bytesSealed: 700, bytesUploaded: 700, bytesTotal: 1000 });
});

test('bytes that were counted before a lost line are told before it, not after', () => {
  const { meter, events, clock } = newMeter();
  meter.reset(1000);
  meter.uploaded(400);
  meter.tell({ type: 'offline' });
  clock.nowMs = 250;
  meter.sealed(900);
  expect(events.slice(1)).toEqual([
    { type: 'progress', bytesSealed: 0, bytesUploaded: 400, bytesTotal: 1000 },
    { type: 'offline' },
    { type: 'progress', bytesSealed: 900, bytesUploaded: 400, bytesTotal: 1000 },
  ]);
});
