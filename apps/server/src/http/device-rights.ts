import { PATHS } from '@satchel/contract/api';
import { UPLOAD_SOCKET_PATH } from '@satchel/contract/upload-socket';
import { CHANGES_PATH } from '@satchel/contract/wire/folder-changes';

/**
 * What a device's session may do: use, make, change and delete its person's folders and files. On every other route it is
 * nobody, and gets 403 where a person is asked for: it can't read or end other sessions, export or delete the account, see
 * who visited, let in further devices, or act as an operator. The route × role matrix has a column for it, by this list.
 */
const rpc = (name: string) => `POST ${PATHS.rpc}/${name}`;

export const DEVICE_ROUTES: ReadonlySet<string> = new Set([
  // Who it is, the bearer for storage calls, and the end of its own session alone.
  `GET ${PATHS.session}`,
  `GET ${PATHS.user}`,
  `GET ${PATHS.profileMe}`,
  `POST ${PATHS.logout}`,
  // Folders and their links.
  `GET ${PATHS.folders}`,
  `GET ${PATHS.folders}/:slug`,
  `POST ${CHANGES_PATH}`,
  rpc('get_folder_complete_data'),
  rpc('create_folder_with_temp_key'),
  rpc('update_folder_settings'),
  rpc('delete_folder_complete'),
  rpc('stage_folder_labels'),
  rpc('generate_temp_encryption_key'),
  rpc('revoke_temp_encryption_key'),
  rpc('record_folder_event'),
  `GET ${PATHS.key}/:slug/:api_token`,
  `POST ${PATHS.key}/:slug/:api_token`,
  // Files.
  `POST ${PATHS.list}/:bucket`,
  `GET ${PATHS.objectPublic}/:bucket/*`,
  `GET ${PATHS.object}/:bucket/*`,
  `POST ${PATHS.objectSign}/:bucket/*`,
  `GET ${PATHS.objectSign}/:bucket/*`,
  `DELETE ${PATHS.object}/:bucket/*`,
  `PATCH ${PATHS.object}/:bucket`,
  `DELETE ${PATHS.object}/:bucket`,
  `POST ${PATHS.still}/:bucket`,
  `PUT ${PATHS.still}/:bucket/:storagePath`,
  // Uploads.
  `GET ${PATHS.uploads}`,
  `GET ${UPLOAD_SOCKET_PATH}`,
  `OPTIONS ${PATHS.resumable}`,
  `POST ${PATHS.resumable}`,
  `HEAD ${PATHS.resumable}/:id`,
  `PATCH ${PATHS.resumable}/:id`,
  `DELETE ${PATHS.resumable}/:id`,
  `POST ${PATHS.resumable}/:id`,
]);
