import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createDescriptorBudget,
  descriptorLimitsFor,
  type Release,
  TRANSFERS_OF_ACCOUNT,
} from './descriptor-budget.ts';

describe('the limits of a process', () => {
  test('leave descriptors for the process’s own work, and connections for at least sixteen networks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 512, max: 2_000_000 }), (descriptors) => {
        const { connections, transfers, perNetwork, transfersPerNetwork } = descriptorLimitsFor(descriptors, null);
        expect(connections + transfers).toBeLessThanOrEqual(descriptors - 128);
        expect(connections).toBeLessThanOrEqual(20_000);
        expect(perNetwork).toBeLessThanOrEqual(Math.max(64, connections / 16));
        expect(Math.min(connections, transfers, perNetwork)).toBeGreaterThanOrEqual(64);
        expect(transfersPerNetwork).toBeLessThanOrEqual(64);
      }),
    );
  });

  test.each([
    [1024, { connections: 597, transfers: 299, perNetwork: 64, transfersPerNetwork: 16 }],
    [20_000, { connections: 12_650, transfers: 6326, perNetwork: 790, transfersPerNetwork: 64 }],
    [65_536, { connections: 20_000, transfers: 21_504, perNetwork: 1024, transfersPerNetwork: 64 }],
  ])('of %i descriptors', (descriptors, limits) => {
    expect(descriptorLimitsFor(descriptors, null)).toEqual(limits);
  });

  test('take the operator’s limit for one network, up to the number of connections', () => {
    expect(descriptorLimitsFor(20_000, 5000)).toMatchObject({ perNetwork: 5000, transfersPerNetwork: 1250 });
    expect(descriptorLimitsFor(1024, 5000).perNetwork).toBe(597);
    expect(descriptorLimitsFor(1024, 8)).toMatchObject({ perNetwork: 8, transfersPerNetwork: 16 });
  });
});

describe('the budget', () => {
  const LIMITS = { connections: 100, transfers: 3, perNetwork: 4, transfersPerNetwork: 4 };
  const isTaken = (outcome: Release | string | null): outcome is Release => typeof outcome === 'function';

  test('counts connections and transfers of one network together, and each network separately', () => {
    const budget = createDescriptorBudget(LIMITS);
    for (let at = 0; at < 3; at++) expect(budget.takeConnection('a')).not.toBeNull();
    expect(isTaken(budget.takeTransfer('a'))).toBe(true);
    expect([budget.takeConnection('a'), budget.takeTransfer('a')]).toEqual([null, 'network_full']);
    expect(isTaken(budget.takeTransfer('b'))).toBe(true);
  });

  test('limits the transfers of all networks together', () => {
    const budget = createDescriptorBudget(LIMITS);
    const taken = ['a', 'b', 'c'].map((network) => budget.takeTransfer(network));
    expect(taken.every(isTaken)).toBe(true);
    expect(budget.takeTransfer('d')).toBe('all_taken');
    expect(budget.takeConnection('d')).not.toBeNull();
  });

  test('allows one network fewer transfers than connections', () => {
    const budget = createDescriptorBudget({ connections: 100, transfers: 50, perNetwork: 20, transfersPerNetwork: 2 });
    const taken = [1, 2, 3].map(() => budget.takeTransfer('a'));
    expect(taken.map(isTaken)).toEqual([true, true, false]);
    expect(budget.takeConnection('a')).not.toBeNull();
    expect(isTaken(budget.takeTransfer('b'))).toBe(true);
    if (isTaken(taken[0]!)) taken[0]();
    expect(isTaken(budget.takeTransfer('a'))).toBe(true);
  });

  test('never refuses an account its first transfers for what others of its network hold', () => {
    const limits = { connections: 400, transfers: 60, perNetwork: 20, transfersPerNetwork: 10 };
    const budget = createDescriptorBudget(limits);
    const takeAll = (account: string | null) => {
      const taken: Release[] = [];
      for (;;) {
        const one = budget.takeTransfer('a', account);
        if (!isTaken(one)) return { taken, refusal: one };
        taken.push(one);
      }
    };
    const nobody = takeAll(null);
    expect([nobody.taken.length, nobody.refusal]).toEqual([10, 'network_full']);
    for (const account of ['mika', 'jonas', 'lena']) {
      const own = takeAll(account);
      expect([own.taken.length, own.refusal]).toEqual([TRANSFERS_OF_ACCOUNT, 'network_full']);
      own.taken[0]!();
      expect(isTaken(budget.takeTransfer('a', account))).toBe(true);
    }
    expect(takeAll(null).taken).toHaveLength(0);
    expect(isTaken(budget.takeTransfer('b'))).toBe(true);
    // The limit for all networks holds for accounts, too.
    const further = Array.from({ length: 10 }, (_, at) => takeAll(`person ${at}`));
    expect(further.at(-1)).toEqual({ taken: [], refusal: 'all_taken' });
  });

  test('releases a descriptor only once', () => {
    const budget = createDescriptorBudget({ ...LIMITS, perNetwork: 2 });
    const first = budget.takeTransfer('a');
    expect(isTaken(budget.takeTransfer('a'))).toBe(true);
    if (isTaken(first)) {
      first();
      first();
    }
    expect(isTaken(budget.takeTransfer('a'))).toBe(true);
    expect(budget.takeTransfer('a')).toBe('network_full');
  });
});
