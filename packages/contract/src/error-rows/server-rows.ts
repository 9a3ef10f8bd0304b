import { count, type Params, type Row, row } from './row.ts';

const wait = (p: Params) => `Try again in ${count(p.retry_after_seconds, 'second', 'seconds')}`;

/**
 * Errors that only the server raises. A browser's bundle leaves them out and shows the text that came over the wire. What
 * one client has too much of is 429; 503 is the server's own state, so that no client can make a balancer give up a node.
 */
export const SERVER_ROWS = {
  'folder.forbidden': row(403, 'Only the folder owner can do this'),
  'folder.slug_taken': row(409, 'This slug is taken'),
  'folder.foreign_owner': row(403, 'A folder can only be created for yourself'),
  'folder.lifetime': row(400, (p) => `A folder lives for at most ${count(p.hours, 'hour', 'hours')}`),
  'folder.too_many': row(
    409,
    (p) =>
      `You have ${count(p.max, 'folder', 'folders')}, the most that an account can have. Delete one, or wait until one expires`,
  ),
  'folder.plain': row(409, 'This folder is not encrypted, so its link has no key'),
  'folder.taken_down': row(410, (p) => `This folder was taken down: ${p.reason}`),
  'key.lifetime': row(400, (p) => `The server keeps a folder’s key for at most ${count(p.hours, 'hour', 'hours')}`),
  'upload.not_encrypted': row(400, 'This folder only takes encrypted files. Open its full link and upload again'),
  'upload.too_many_open': row(
    413,
    (p) =>
      `You have ${count(p.max, 'unfinished upload', 'unfinished uploads')}, the most that an account can have. Resume or cancel some in your profile`,
  ),
  'upload.wrong_offset': row(409, 'Upload-Offset does not match'),
  'upload.locked': row(423, 'The upload is locked'),
  'upload.bad_length': row(400, 'Upload-Length must be a whole number'),
  'upload.length_exceeded': row(413, 'More bytes than Upload-Length says'),
  'upload.bad_metadata': row(400, 'Upload-Metadata is missing or malformed'),
  'upload.bad_version': row(412, 'Tus-Resumable must be 1.0.0'),
  'upload.bad_content_type': row(415, 'Content-Type must be application/offset+octet-stream'),
  'upload.bad_offset': row(400, 'Upload-Offset must be a whole number'),
  'upload.bad_checksum': row(400, 'Upload-Checksum is malformed or its algorithm is not supported'),
  'upload.checksum_mismatch': row(460, 'Checksum mismatch'),
  'upload.lost_lease': row(409, 'Another request has taken this upload over'),
  'upload.denied': row(403, 'The operator of this site has removed this file, so it can’t be uploaded again'),
  'upload.too_slow': row(408, 'This request was too slow. Resume the upload'),
  'upload.throttled': row(429, (p) => `Too many requests. ${wait(p)}`),
  'storage.bucket_not_found': row(400, 'Bucket not found'),
  'storage.unseen': row(400, 'This name has invisible characters. Rename the file'),
  'storage.exists': row(409, 'An object of this name exists'),
  'storage.bad_range': row(416, 'Requested range not satisfiable'),
  'storage.bad_token': row(400, 'This signed URL is not valid'),
  'storage.full': row(507, 'The server has no space left. Try again later'),
  'storage.unavailable': row(503, (p) => `The server can’t use its storage at the moment. ${wait(p)}`),
  'storage.damaged': row(500, 'The server has lost the bytes of this file'),
  'upload.site_full': row(507, 'This site is full. Try again when other folders have expired'),
  'auth.bad_redirect': row(400, 'redirect_to is not a path of this site'),
  'auth.bad_provider': row(400, 'Unsupported provider'),
  'auth.not_admitted': row(403, 'This site is for members of certain Discord servers, and you are in none of them'),
  'auth.account_not_admitted': row(403, 'Only certain Discord accounts can sign in here, and yours is not one of them'),
  'auth.closed': row(403, 'This site takes no new accounts at the moment. Existing accounts can sign in'),
  'auth.banned': row(403, (p) => `This account is banned: ${p.reason}`),
  'auth.not_for_devices': row(403, 'A command line may not do this. Do it on the site, in a browser'),
  'device.wrong_code': row(404, 'No command line waits with this code. Compare it with the one in your terminal'),
  'device.over': row(410, 'This code is no longer valid. Sign in again in your terminal to get a new one'),
  'grant.invalid': row(404, 'This invitation is no longer valid. Click Open in Discord again'),
  'intent.invalid': row(404, 'This link from Discord is no longer valid. Type /upload there again'),
  'intent.foreign': row(403, 'This link was made for another Discord account. Sign in with that one'),
  'interaction.unauthorized': row(401, 'Invalid request signature'),
  'request.not_found': row(404, 'Not found'),
  'request.bad_origin': row(403, 'This request does not come from this site'),
  'request.too_large': row(413, 'The request is too large'),
  'request.unsupported_type': row(415, 'Unsupported content type'),
  'request.too_many': row(429, (p) => `Too many requests. ${wait(p)}`),
  'request.timeout': row(408, 'The request took too long to arrive'),
  'profile.export_running': row(429, (p) => `Your data is being exported already. ${wait(p)}`),
  'request.crowded': row(429, (p) => `Too many requests from your network at once. ${wait(p)}`),
  'request.busy': row(503, (p) => `The server is busy. ${wait(p)}`),
  'request.unavailable': row(503, 'Try again in a moment'),
} as const satisfies Record<string, Row>;
