import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { type Site, startSite } from './site.ts';

/** A filter on the way may refuse a WebSocket. */
type SocketTreatment = 'pass' | 'refuse';

/** The network between a browser and the site, which can stand still or break. */
export interface Line {
  readonly port: number;
  /** Bytes from browsers since the last `forget`. */
  sentBytes(): number;
  /** Bytes to browsers since the last `forget`. */
  answeredBytes(): number;
  forget(): void;
  /** What this network does to WebSockets. */
  treatSockets(treatment: SocketTreatment): void;
  /** From now on each connection passes at most this number of bytes from browsers, and then stands still; null: none does. */
  hold(bytesEach: number | null): void;
  /** The same for bytes to browsers. */
  holdAnswers(bytesEach: number | null): void;
  /** How many connections stand still. */
  heldCount(): number;
  /**
   * Lets all others pass as many bytes as there are, and breaks the connections that stand still: after a page is gone, the
   * system's buffers may have the whole rest of a file.
   */
  letGo(): void;
  /** Breaks all open connections. */
  cut(): void;
  /** While it is away, the line refuses every connection. */
  goAway(isAway: boolean): void;
  close(): Promise<void>;
}

/** Lets each connection pass a number of bytes in one direction; then it stands still. */
function createHold() {
  let mostBytes = Number.POSITIVE_INFINITY;
  const passed = new Map<Socket, number>();
  const held = new Set<Socket>();
  /** Reads on from where the bytes come from, unless they are to stand still. */
  function goOn(from: Socket): void {
    held.delete(from);
    if (from.destroyed) return;
    if ((passed.get(from) ?? 0) < mostBytes) from.resume();
    else held.add(from);
  }
  return {
    held,
    goOn,
    count: (from: Socket, sizeBytes: number) => passed.set(from, (passed.get(from) ?? 0) + sizeBytes),
    hold(bytesEach: number | null) {
      mostBytes = bytesEach ?? Number.POSITIVE_INFINITY;
      passed.clear();
      for (const from of [...held]) goOn(from);
    },
    forget(socket: Socket) {
      passed.delete(socket);
      held.delete(socket);
    },
  };
}

/** Listens on a free port, and forwards to the server at `targetPort`. */
export async function openLine(targetPort: number): Promise<Line> {
  const sockets = new Set<Socket>();
  let sentBytes = 0;
  let answeredBytes = 0;
  let treatment: SocketTreatment = 'pass';
  let away = false;
  const requests = createHold();
  const replies = createHold();
  const held = () => [...requests.held, ...replies.held];

  /** @returns whether the bytes are passed on to the site */
  function treat(browser: Socket, chunk: Buffer): boolean {
    const head = chunk.subarray(0, 2048).toString('latin1');
    if (treatment === 'pass' || !/^GET [^\r]+\r\n(?:.*\r\n)*upgrade: websocket/i.test(head)) return true;
    browser.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    return false;
  }

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      requests.forget(socket);
      replies.forget(socket);
    });
    socket.on('error', () => socket.destroy());
  };

  const server = createServer((browser) => {
    if (away) {
      browser.destroy();
      return;
    }
    const site = connect(targetPort, '127.0.0.1');
    keep(browser);
    keep(site);
    site.on('data', (chunk: Buffer) => {
      site.pause();
      answeredBytes += chunk.length;
      replies.count(site, chunk.length);
      browser.write(chunk, () => replies.goOn(site));
    });
    site.on('end', () => browser.end());
    browser.on('close', () => site.destroy());
    site.on('close', () => browser.destroy());
    browser.on('end', () => site.end());
    browser.on('data', (chunk: Buffer) => {
      if (!treat(browser, chunk)) return;
      sentBytes += chunk.length;
      requests.count(browser, chunk.length);
      browser.pause();
      site.write(chunk, () => requests.goOn(browser));
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    port,
    sentBytes: () => sentBytes,
    answeredBytes: () => answeredBytes,
    forget() {
      sentBytes = 0;
      answeredBytes = 0;
    },
    hold: requests.hold,
    holdAnswers: replies.hold,
    heldCount: () => held().length,
    letGo() {
      for (const socket of held()) socket.destroy();
      requests.hold(null);
      replies.hold(null);
    },
    treatSockets(next) {
      treatment = next;
    },
    cut,
    goAway(isAway) {
      away = isAway;
      if (isAway) cut();
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A separate site, which browsers reach through a line. */
export async function startSiteBehindLine(): Promise<{ readonly line: Line; readonly site: Site }> {
  const port = await freePort();
  const line = await openLine(port);
  return { line, site: await startSite({ port, publicUrl: `http://127.0.0.1:${line.port}` }) };
}
