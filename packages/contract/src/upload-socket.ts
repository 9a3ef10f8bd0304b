import { KIB, MIB } from './limits.ts';

/**
 * The upload socket (docs/upload-socket.md): a WebSocket that brings the bytes of an upload to the same receiver as a tus
 * PATCH. Not part of PATHS, since only the upload worker opens it.
 */
export const UPLOAD_SOCKET_PATH = '/storage/v1/upload/socket';
/** The protocol and its version, in Sec-WebSocket-Protocol. */
export const UPLOAD_SOCKET_PROTOCOL = 'satchel.upload.1';

/** The longest text message. A bearer takes some 300 bytes. */
export const SOCKET_TEXT_MAX_BYTES = 4 * KIB;
/** The longest binary frame. */
export const SOCKET_FRAME_MAX_BYTES = MIB;
/** Binary frames hold at least this many bytes on average: many short ones would cost more work than bytes. */
export const SOCKET_FRAME_MEAN_BYTES = KIB;
/** The number of binary frames that may be shorter, as a browser makes them that splits a message. */
export const SOCKET_SHORT_FRAMES_MAX = 1000;
/** An upload that ends with an error is closed with this code plus the error's HTTP status. */
export const SOCKET_CLOSE_BASE = 4000;

/** The first message, and the only text that a client sends. */
export interface SocketBegin {
  /** Id of the upload: the last segment of its tus address. */
  readonly id: string;
  /** Where its first byte belongs, as in Upload-Offset. */
  readonly offset: number;
  /** The bearer. */
  readonly token: string;
}
