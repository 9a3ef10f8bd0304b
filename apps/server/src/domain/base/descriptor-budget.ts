/**
 * Who may hold how many of the process's descriptors. Each connection takes one, each transfer of a file one more. What is
 * left over is for the server's own work: database, blobs, logs.
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

/** More would need more memory than descriptors. */
const MAX_CONNECTIONS = 20_000;
/** For the database (up to some hundred files, or ten connections), blobs being made, synced and removed, and logs. */
const WORK = { share: 1 / 8, min: 128, max: 1024 };
/** A transfer needs a connection, and most connections have none. */
const CONNECTIONS_SHARE = 2 / 3;
/** An office or a school behind one address gets along with this; sixteen networks at least have room beside each other. */
const NETWORK = { share: 1 / 16, min: 64, max: 1024 };

/**
 * The kernel takes in up to 4 MiB for each reader that does not read. With 400 of them it holds 1.6 GB, and then slows down
 * every connection of the machine. An office of 30, each with two pictures on the way, gets along with this.
 */
const TRANSFERS = { share: 1 / 4, min: 16, max: 64 };

const clamp = (value: number, { min, max }: { min: number; max: number }) => Math.min(Math.max(value, min), max);

/**
 * Divides the process's descriptors.
 * @param perNetwork the operator's setting, or null
 */
export function descriptorLimitsFor(descriptors: number, perNetwork: number | null): DescriptorLimits {
  const forClients = Math.max(descriptors - clamp(Math.floor(descriptors * WORK.share), WORK), 16);
  const connections = Math.min(Math.floor(forClients * CONNECTIONS_SHARE), MAX_CONNECTIONS);
  const share = perNetwork ?? clamp(Math.floor(connections * NETWORK.share), NETWORK);
  const max = perNetwork === null ? TRANSFERS.max : perNetwork;
  return {
    connections,
    transfers: forClients - Math.floor(forClients * CONNECTIONS_SHARE),
    perNetwork: Math.min(share, connections),
    transfersPerNetwork: clamp(Math.floor(share * TRANSFERS.share), {
      ...TRANSFERS,
      max: Math.max(max, TRANSFERS.min),
    }),
  };
}

/** Gives back what was taken; a second call does nothing. */
export type Release = () => void;

export interface DescriptorBudget {
  /** @returns null when the network has its share already */
  takeConnection(network: string): Release | null;
  /** @returns why not, when there is none to be had */
  takeTransfer(network: string): Release | 'network_full' | 'all_taken';
}

export function createDescriptorBudget(limits: DescriptorLimits): DescriptorBudget {
  const { perNetwork, transfers, transfersPerNetwork } = limits;
  /** Networks that hold nothing are not in here. */
  const heldBy = new Map<string, number>();
  const transfersOf = new Map<string, number>();
  let transferring = 0;

  const change = (counts: Map<string, number>, network: string, by: 1 | -1) => {
    const count = (counts.get(network) ?? 0) + by;
    if (count > 0) counts.set(network, count);
    else counts.delete(network);
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
    takeTransfer(network) {
      if (isFull(network) || (transfersOf.get(network) ?? 0) >= transfersPerNetwork) return 'network_full';
      if (transferring >= transfers) return 'all_taken';
      transferring += 1;
      change(transfersOf, network, 1);
      return hold(network, () => {
        transferring -= 1;
        change(transfersOf, network, -1);
      });
    },
  };
}
