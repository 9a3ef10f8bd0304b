import { useEffect, useState } from 'react';
import { useLatest } from '../../lib/hooks.ts';
import { addSample, measureSpeed, type Speed, type SpeedSample } from '../../lib/speed.ts';
import { type QueueState, remainingBytes } from './queue.ts';

const SAMPLE_EVERY_MS = 1000;
const UNKNOWN_SPEED: Speed = { speedBytesPerSecond: null, secondsLeft: null };

/** Speed and time left, renewed every second while something is sent. */
export function useSpeed(state: QueueState, busy: boolean): Speed {
  const latest = useLatest(state);
  const [speed, setSpeed] = useState(UNKNOWN_SPEED);
  useEffect(() => {
    if (!busy) {
      setSpeed(UNKNOWN_SPEED);
      return;
    }
    let samples: readonly SpeedSample[] = [];
    const sample = () => {
      samples = addSample(samples, { atMs: performance.now(), sentBytes: latest.current.sentBytes });
      setSpeed(measureSpeed(samples, remainingBytes(latest.current)));
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    return () => clearInterval(timer);
  }, [busy, latest]);
  return speed;
}
