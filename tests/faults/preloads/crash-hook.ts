import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { CRASH_POINTS } from '../points/crash-points.ts';

/**
 * Loaded before the server's sources: the process ends by kill -9 at the crash point whose name is in the file that
 * FAULTS_CRASH_AT names, once. The sources get a call at each point as they are loaded.
 */

const flag = process.env.FAULTS_CRASH_AT ?? '';
const SOURCES = new URL('../../../apps/server/src/', import.meta.url);

function reach(name: string): void {
  if (!existsSync(flag) || readFileSync(flag, 'utf8') !== name) return;
  unlinkSync(flag);
  process.kill(process.pid, 'SIGKILL');
}

Object.assign(globalThis, { reachCrashPoint: reach });

const bySource = Map.groupBy(CRASH_POINTS, ({ file }) => new URL(file, SOURCES).href);

function withPoints(url: string, source: string): string {
  let text = source;
  for (const { name, statement, is, when } of bySource.get(url) ?? []) {
    const call = `if (${when}) globalThis.reachCrashPoint(${JSON.stringify(name)});`;
    const [before = '', after, more] = text.split(statement);
    if (after === undefined || more !== undefined) throw new Error(`The crash point "${name}" is not at one statement`);
    text = before + (is === 'before' ? `${call} ${statement}` : `${statement} ${call}`) + after;
  }
  return text;
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!bySource.has(url) || !loaded.source) return loaded;
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: withPoints(url, text) };
  },
});
