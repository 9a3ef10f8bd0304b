import { answersAt, urlOfPort, urlOfSocket } from './address.mjs';
import { clusterOf } from './cluster.mjs';
import { readAddress } from './leftovers.mjs';

/** @returns {Promise<string | undefined>} the address of the PostgreSQL that a running site has in its data directory */
export async function findRunningPostgres(dataDir) {
  const { data, passwordFile } = clusterOf(dataDir);
  const at = readAddress(data);
  if (!at || !(await answersAt(at))) return undefined;
  return at.folder ? urlOfSocket(at.folder) : urlOfPort(at.port, passwordFile);
}
