import { connect, createServer, type Socket } from 'node:net';

/** A line between browsers and a server, which may be slow for all connections together, as a phone's is. */
export interface SlowLine {
  readonly url: string;
  /** Bytes passed on to browsers since the last `slow`. */
  answeredBytes(): number;
  /** Sets the line for a next visit; null: as fast as it can. A connection's own handshake is never delayed. */
  slow(to: Slowness | null): void;
  close(): void;
}

export interface Slowness {
  /** Delay of each byte in either direction. */
  readonly oneWayMs: number;
  /** To browsers. */
  readonly bytesPerSecond: number;
}

interface Answer {
  readonly browser: Socket;
  readonly site: Socket;
  readonly waiting: { bytes: Buffer; readonly readyAtMs: number }[];
  waitingBytes: number;
  hasEnded: boolean;
}

const TICK_MS = 5;
/** One packet, so that connections share the line as they do on a real one. */
const PACKET_BYTES = 1460;
/** What the network holds of one connection before its sender has to wait. */
const WINDOW_BYTES = 64 * 1024;

export async function openSlowLine(targetPort: number): Promise<SlowLine> {
  const answers = new Set<Answer>();
  let answeredBytes = 0;
  let slowness: Slowness | null = null;
  let budgetBytes = 0;
  let lastMs = performance.now();

  /** Passes a packet on, if one is there and the line has room for it. */
  function passPacket(answer: Answer, nowMs: number): boolean {
    const [first] = answer.waiting;
    if (!first || first.readyAtMs > nowMs) return false;
    const packet = first.bytes.subarray(0, PACKET_BYTES);
    if (packet.length > budgetBytes) return false;
    first.bytes = first.bytes.subarray(packet.length);
    if (first.bytes.length === 0) answer.waiting.shift();
    answer.browser.write(packet);
    answer.waitingBytes -= packet.length;
    answeredBytes += packet.length;
    budgetBytes -= packet.length;
    if (answer.waitingBytes < WINDOW_BYTES) answer.site.resume();
    if (answer.hasEnded && answer.waiting.length === 0) answer.browser.end();
    return true;
  }

  /** @returns false where no connection has a packet that fits */
  function passNext(nowMs: number): boolean {
    for (const answer of answers) {
      if (!passPacket(answer, nowMs)) continue;
      // Its next turn comes after all others'.
      answers.delete(answer);
      answers.add(answer);
      return true;
    }
    return false;
  }

  const timer = setInterval(() => {
    const nowMs = performance.now();
    const perTick = slowness ? (slowness.bytesPerSecond * (nowMs - lastMs)) / 1000 : Number.POSITIVE_INFINITY;
    lastMs = nowMs;
    // What was not used is gone: a line saves nothing up, but the part of a packet.
    budgetBytes = Math.min(budgetBytes, PACKET_BYTES) + perTick;
    while (passNext(nowMs)) {}
  }, TICK_MS);

  const server = createServer({ noDelay: true }, (browser) => {
    const site = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    const answer: Answer = { browser, site, waiting: [], waitingBytes: 0, hasEnded: false };
    answers.add(answer);
    for (const socket of [browser, site]) socket.on('error', () => socket.destroy());
    site.on('data', (bytes) => {
      if (!slowness && answer.waiting.length === 0) {
        answeredBytes += bytes.length;
        if (!browser.write(bytes)) {
          site.pause();
          browser.once('drain', () => site.resume());
        }
        return;
      }
      answer.waiting.push({ bytes, readyAtMs: performance.now() + (slowness?.oneWayMs ?? 0) });
      answer.waitingBytes += bytes.length;
      if (answer.waitingBytes >= WINDOW_BYTES) site.pause();
    });
    site.on('end', () => {
      answer.hasEnded = true;
      if (answer.waiting.length === 0) browser.end();
    });
    site.on('close', () => answer.waiting.length === 0 && browser.destroy());
    browser.on('data', (bytes) => {
      if (slowness) setTimeout(() => site.write(bytes), slowness.oneWayMs);
      else if (!site.write(bytes)) {
        browser.pause();
        site.once('drain', () => browser.resume());
      }
    });
    browser.on('end', () => site.end());
    browser.on('close', () => {
      answers.delete(answer);
      site.destroy();
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    answeredBytes: () => answeredBytes,
    slow(to) {
      slowness = to;
      answeredBytes = 0;
      budgetBytes = 0;
    },
    close() {
      clearInterval(timer);
      for (const { browser } of answers) browser.destroy();
      server.close();
    },
  };
}
