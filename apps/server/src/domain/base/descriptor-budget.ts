/**
 * Divides the process's file descriptors among its clients. A connection takes one, the transfer of a file one more.
 * The rest is for the server's own work: database, blobs, logs.
 */

export interface DescriptorLimits {
  /** Connections of all networks together. */
  readonly connections: number;
  /** Transfers of all networks together. */
  readonly transfers: number;
  /** Connections and transfers of one network together. */
  readonly perNetwork: number;
  /** Transfers of one network. */
  readonly transfersPerNetwork: number;
}

/** More connections would run out of memory before descriptors. */
const MAX_CONNECTIONS = 20_000;
/** Database (some hundred files, or ten connections), blobs that are written, synced or deleted, and logs. */
const WORK = { fraction: 1 / 8, min: 128, max: 1024 };
/** A transfer also holds a connection; most connections transfer nothing. */
const CONNECTIONS_FRACTION = 2 / 3;
/** Enough for an office or a school behind one address. At least sixteen networks fit at the same time. */
const NETWORK = { fraction: 1 / 16, min: 64, max: 1024 };

/**
 * The kernel buffers up to 4 MiB for each client that does not read. 400 of them take 1.6 GB and slow down every
 * connection of the machine. This limit is enough for an office of 30, each with two pictures in transfer.
 */
const TRANSFERS = { fraction: 1 / 4, min: 16, max: 64 };

/**
 * An account's first transfers: what its page uploads at once. They are never refused for what others of its network hold,
 * so that a neighbour behind the same address shuts nobody out. The limit for all networks holds for them, too.
 */
export const TRANSFERS_OF_ACCOUNT = 8;

const clamp = (value: number, { min, max }: { min: number; max: number }) => Math.min(Math.max(value, min), max);

/**
 * Divides the process's descriptors.
 * @param perNetwork the operator's limit for one network, or null
 */
export function descriptorLimitsFor(descriptors: number, perNetwork: number | null): DescriptorLimits {
  const forClients = Math.max(descriptors - clamp(Math.floor(descriptors * WORK.fraction), WORK), 16);
  const connections = Math.min(Math.floor(forClients * CONNECTIONS_FRACTION), MAX_CONNECTIONS);
  const ofNetwork = perNetwork ?? clamp(Math.floor(connections * NETWORK.fraction), NETWORK);
  const max = perNetwork === null ? TRANSFERS.max : perNetwork;
  return {
    connections,
    transfers: forClients - Math.floor(forClients * CONNECTIONS_FRACTION),
    perNetwork: Math.min(ofNetwork, connections),
    transfersPerNetwork: clamp(Math.floor(ofNetwork * TRANSFERS.fraction), {
      ...TRANSFERS,
      max: Math.max(max, TRANSFERS.min),
    }),
  };
}

/** Releases the descriptor; a second call does nothing. */
export type Release = () => void;

export interface DescriptorBudget {
  /** @returns null when the network is at its limit */
  takeConnection(network: string): Release | null;
  /**
   * @param account who transfers; null for a person without a session
   * @returns the reason of a refusal: the limit of the network, or the limit of all transfers
   */
  takeTransfer(network: string, account?: string | null): Release | 'network_full' | 'all_taken';
}

export function createDescriptorBudget(limits: DescriptorLimits): DescriptorBudget {
  const { perNetwork, transfers, transfersPerNetwork } = limits;
  /** Descriptors by network; a network without any has no entry. */
  const heldBy = new Map<string, number>();
  const transfersOf = new Map<string, number>();
  const transfersOfAccount = new Map<string, number>();
  let transferring = 0;

  const change = (counts: Map<string, number>, holder: string, by: 1 | -1) => {
    const count = (counts.get(holder) ?? 0) + by;
    if (count > 0) counts.set(holder, count);
    else counts.delete(holder);
  };
  const isFull = (network: string) => (heldBy.get(network) ?? 0) >= perNetwork;

  function hold(network: string, onRelease: () => void): Release {
    change(heldBy, network, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      change(heldBy, network, -1);
      onRelease();
    };
  }

  return {
    takeConnection: (network) => (isFull(network) ? null : hold(network, () => undefined)),
    takeTransfer(network, account = null) {
      const isOfFirst = account !== null && (transfersOfAccount.get(account) ?? 0) < TRANSFERS_OF_ACCOUNT;
      const isNetworkFull = isFull(network) || (transfersOf.get(network) ?? 0) >= transfersPerNetwork;
      if (isNetworkFull && !isOfFirst) return 'network_full';
      if (transferring >= transfers) return 'all_taken';
      const count = (by: 1 | -1) => {
        transferring += by;
        change(transfersOf, network, by);
        if (account !== null) change(transfersOfAccount, account, by);
      };
      count(1);
      return hold(network, () => count(-1));
    },
  };
}
