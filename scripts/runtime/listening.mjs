import { connect } from 'node:net';

/** @param {{ host: string, port: number } | { path: string }} where */
export function isListening(where) {
  return new Promise((resolve) => {
    try {
      const socket = connect({ ...where, timeout: 1000 });
      const answer = (isOpen) => {
        socket.destroy();
        resolve(isOpen);
      };
      socket
        .on('connect', () => answer(true))
        .on('error', () => answer(false))
        .on('timeout', () => answer(false));
    } catch {
      resolve(false);
    }
  });
}
