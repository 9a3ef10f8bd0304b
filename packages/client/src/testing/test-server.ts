import type { WireError } from '@satchel/contract/errors';
import type { HttpAnswer, HttpRequest, Network, Socket } from '../send/ports.ts';
import { answerOf } from './networks.ts';

/** What the line and the server do with requests and sockets. */
export interface Weather {
  /** `lost`: nothing comes back; `silent`: the line swallows everything; `busy`: 503. */
  requests: 'taken' | 'lost' | 'silent' | 'busy';
  /** `refused`: never opens; `silent`: opens and says nothing; `full`: opens and says 429; `cut`: breaks after its first bytes. */
  sockets: 'taken' | 'refused' | 'silent' | 'full' | 'cut';
}

export const FAIR: Weather = { requests: 'taken', sockets: 'taken' };

/** As a server says it: a client need not know the code. */
const TOO_MANY: WireError = {
  error: { code: 'request.too_many', params: { seconds: 5 }, message: 'Too many requests', status: 429 },
};

const lengthOf = (body: HttpRequest['body'] = []) => body.reduce((sum, { length }) => sum + length, 0);

const ORIGIN = 'https://satchel.example';
const UPLOADS = '/storage/v1/upload/resumable/';

/** A server of uploads, with a line that can be bad. */
export function createTestServer() {
  const weather: Weather = { ...FAIR };
  const open = new Set<() => void>();
  const uploads = new Map<string, { readonly length: number; offset: number }>();
  let ways: ('socket' | 'http')[] = [];
  const urlOf = (id: string) => ORIGIN + UPLOADS + id;

  const until = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

  function take({ method, url, headers, body }: HttpRequest): HttpAnswer {
    if (method === 'POST') {
      const id = String(uploads.size + 1);
      const created = { length: Number(headers['Upload-Length']), offset: lengthOf(body) };
      uploads.set(urlOf(id), created);
      return answerOf(201, { Location: UPLOADS + id, 'Upload-Offset': String(created.offset) });
    }
    const upload = uploads.get(url);
    if (upload === undefined) return answerOf(404);
    if (method === 'HEAD') {
      return answerOf(200, { 'Upload-Offset': String(upload.offset), 'Upload-Length': String(upload.length) });
    }
    if (method === 'DELETE') return answerOf(204);
    if (headers['Upload-Offset'] !== String(upload.offset)) return answerOf(409);
    ways.push('http');
    upload.offset += lengthOf(body);
    return answerOf(204, { 'Upload-Offset': String(upload.offset) });
  }

  async function request(asked: HttpRequest): Promise<HttpAnswer> {
    asked.signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 1));
    asked.signal?.throwIfAborted();
    if (weather.requests === 'silent') return until(asked.signal);
    if (weather.requests === 'lost') throw new TypeError('Failed to fetch');
    return weather.requests === 'busy' ? answerOf(503) : take(asked);
  }

  function openSocket(): Socket {
    let isClosed = false;
    let upload: { readonly length: number; offset: number } | null = null;
    let isBroken = false;
    const later = (work: () => void) => setTimeout(() => isClosed || work(), 1);
    const close = () => {
      isClosed = true;
      open.delete(cut);
    };
    const cut = () => {
      if (isClosed) return;
      close();
      socket.onclose?.({} as never);
    };
    const say = (message: object) => socket.onmessage?.({ data: JSON.stringify(message) });
    const socket: Socket = {
      bufferedAmount: 0,
      onopen: null,
      onclose: null,
      onmessage: null,
      close,
      send(data) {
        if (isClosed || weather.sockets === 'silent') return;
        if (weather.sockets === 'full') return void later(() => say(TOO_MANY));
        if (typeof data === 'string') {
          const { id, offset } = JSON.parse(data) as { id: string; offset: number };
          const named = uploads.get(urlOf(id));
          upload = named?.offset === offset ? named : null;
          return void later(() => (upload ? say({ ready: offset }) : cut()));
        }
        if (upload === null || isBroken) return;
        isBroken = weather.sockets === 'cut';
        const { length } = upload;
        upload.offset += data.length;
        const end = upload.offset;
        ways.push('socket');
        later(() => {
          say(end === length ? { done: end } : { ack: end });
          if (isBroken) cut();
        });
      },
    };
    open.add(cut);
    later(() => (weather.sockets === 'refused' ? cut() : socket.onopen?.({} as never)));
    return socket;
  }

  const network: Network = {
    origin: ORIGIN,
    request,
    openSocket,
    isThere: async () => weather.requests === 'taken',
  };
  return {
    network,
    weather,
    cutSockets: () => {
      for (const cut of [...open]) cut();
    },
    urlOf,
    lengthOf: (url: string) => uploads.get(url)?.length ?? null,
    /** What is stored of the newest upload. */
    stored: () => ({ offset: 0, length: null, ...[...uploads.values()].at(-1) }),
    /** The ways that bytes came, in order, each once in a row. */
    ways: () => ways.filter((way, at) => way !== ways[at - 1]),
    forgetWays: () => {
      ways = [];
    },
  };
}
