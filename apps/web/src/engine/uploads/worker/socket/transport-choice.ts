/** Which way the bytes of an upload go: by the socket, or by tus where the socket does not work. */
export type Transport = 'socket' | 'tus';

/** After so many broken sockets an upload goes by tus: something on the way cuts them. */
const CUTS_MAX = 2;

export interface TransportChoice {
  next(): Transport;
  /** No socket could be opened. */
  unreached(): void;
  /** A socket was open and broke. */
  cut(): void;
  /** The server has acknowledged bytes that went this way. */
  acknowledged(by: Transport): void;
  /** An attempt by tus failed, too: the network was the cause, or the server, and not the socket. */
  failed(by: Transport): void;
}

/**
 * Chooses by trying. The socket counts as refused only when tus works in its place, so that a server that restarts or a
 * lost network changes nothing.
 * @param hasSocket false where the browser has none, or the page knows that it is refused
 * @param onRefused told when tus has worked where the socket had not
 */
export function createTransportChoice(hasSocket: boolean, onRefused: () => void): TransportChoice {
  let cuts = 0;
  let isDoubted = false;
  let isRefused = !hasSocket;
  return {
    next: () => (isRefused || isDoubted ? 'tus' : 'socket'),
    unreached() {
      isDoubted = true;
    },
    cut() {
      cuts += 1;
      isDoubted = cuts >= CUTS_MAX;
    },
    acknowledged(by) {
      if (by !== 'tus' || isRefused) return;
      isRefused = true;
      onRefused();
    },
    failed(by) {
      if (by === 'tus') isDoubted = cuts >= CUTS_MAX;
    },
  };
}
