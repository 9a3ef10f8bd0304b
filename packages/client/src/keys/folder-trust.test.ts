import { describe, expect, test } from 'vitest';
import { type Claim, type FolderKnowledge, type FolderTrust, type ServerClaim, trustOf } from './folder-trust.ts';

const NOTHING: FolderKnowledge = {
  ring: 'none',
  mode: null,
  hidesNames: false,
  kept: [],
  address: 'none',
  isPinned: false,
  isReplaced: false,
};
const own = { ...NOTHING, ring: 'own', mode: 'private', hidesNames: true, isPinned: true } as const;
const ownDiscord = { ...own, mode: 'discord' } as const;
const servers = { ...NOTHING, ring: 'servers' } as const;
const saidYes = { ...servers, mode: 'discord', hidesNames: true, isPinned: true } as const;
const SAYS = ['plain', 'private', 'discord', 'revoked'] as const;

/** One word for what is done with uploads. */
function wordOf({ sealing }: FolderTrust): string {
  if (sealing.kind === 'asked') return `asks ${sealing.question}`;
  if (sealing.kind === 'blocked') return `no: ${sealing.block}`;
  return sealing.kind === 'sealed' && !sealing.hidesNames ? 'sealed, with names' : sealing.kind;
}

/** What is done when the server says plain, private, Discord link, revoked; with hidden names, except for a plain folder. */
const TABLE: [string, FolderKnowledge, string, string, string, string][] = [
  ['nothing', NOTHING, 'plain', 'no: needs_link', 'no: needs_link', 'no: revoked'],
  [
    'a row of another person',
    { ...NOTHING, isPinned: true },
    'no: not_plain',
    'no: needs_link',
    'no: needs_link',
    'no: revoked',
  ],
  [
    'a secret in the address that did not open',
    { ...NOTHING, address: 'secret' },
    'no: not_plain',
    'no: needs_link',
    'no: needs_link',
    'no: revoked',
  ],
  [
    'a key in the address',
    { ...NOTHING, address: 'key' },
    'no: not_plain',
    'no: needs_link',
    'no: needs_link',
    'no: revoked',
  ],
  ['a server’s key', servers, 'no: not_plain', 'no: needs_link', 'asks servers_key', 'no: revoked'],
  [
    'a server’s key, and a secret that did not open',
    { ...servers, address: 'secret' },
    'no: not_plain',
    'no: needs_link',
    'no: needs_link',
    'no: revoked',
  ],
  ['a server’s key that the person accepted', saidYes, 'asks plain', 'no: needs_link', 'sealed', 'no: revoked'],
  ['own keys', own, 'asks plain', 'sealed', 'asks discord', 'no: revoked'],
  [
    'own keys, and a link in the address',
    { ...own, address: 'secret' },
    'asks plain',
    'sealed',
    'asks discord',
    'no: revoked',
  ],
  [
    'own keys of a link that was replaced',
    { ...own, isReplaced: true },
    'asks plain',
    'no: new_link',
    'asks discord',
    'no: revoked',
  ],
  ['own keys, kept private', { ...own, kept: ['plain', 'discord'] }, 'sealed', 'sealed', 'sealed', 'no: revoked'],
  ['own keys of a Discord link', ownDiscord, 'asks plain', 'sealed', 'sealed', 'no: revoked'],
  [
    'own keys of a Discord link that was replaced',
    { ...ownDiscord, isReplaced: true },
    'asks plain',
    'no: new_link',
    'sealed',
    'no: revoked',
  ],
];

test.each(TABLE)('with %s', (_, knows, ...words) => {
  expect(SAYS.map((mode) => wordOf(trustOf(knows, { mode, hidesNames: mode !== 'plain' })))).toEqual(words);
});

test.each(TABLE)('with %s, when the server says that names are readable', (_, knows, ...words) => {
  const asks = (word: string) => (word === 'sealed' ? 'asks names' : word);
  const [plain, ...others] = words;
  expect(SAYS.map((mode) => wordOf(trustOf(knows, { mode, hidesNames: false })))).toEqual([plain, ...others.map(asks)]);
});

describe('names', () => {
  const readable = { ...own, hidesNames: false };
  test('are readable when device and server both say so, and hidden when either does', () => {
    expect(wordOf(trustOf(readable, { mode: 'private', hidesNames: false }))).toBe('sealed, with names');
    expect(wordOf(trustOf(readable, { mode: 'private', hidesNames: true }))).toBe('sealed');
    expect(wordOf(trustOf({ ...own, kept: ['names'] }, { mode: 'private', hidesNames: false }))).toBe('sealed');
  });
});

describe('the page keeps treating a folder as this device knows it', () => {
  test.each([
    [own, ['private', 'private', 'private', 'revoked']],
    [ownDiscord, ['discord', 'private', 'discord', 'revoked']],
    [saidYes, ['discord', 'private', 'discord', 'revoked']],
    [servers, ['private', 'private', 'discord', 'revoked']],
    [NOTHING, ['plain', 'private', 'discord', 'revoked']],
    [{ ...NOTHING, address: 'secret' }, ['private', 'private', 'private', 'revoked']],
  ] as [FolderKnowledge, string[]][])('%j', (knows, modes) => {
    expect(SAYS.map((mode) => trustOf(knows, { mode, hidesNames: true }).mode)).toEqual(modes);
  });

  test('and says so while the server keeps contradicting it', () => {
    const kept = { ...own, kept: ['discord', 'names'] } as const;
    expect(trustOf(kept, { mode: 'discord', hidesNames: true }).keptAgainst).toBe('discord');
    expect(trustOf(kept, { mode: 'private', hidesNames: false }).keptAgainst).toBe('names');
    expect(trustOf(kept, { mode: 'private', hidesNames: true }).keptAgainst).toBeNull();
  });
});

/** Every knowledge and every answer there can be. */
function* everything(): Generator<[FolderKnowledge, ServerClaim]> {
  const flags = [true, false];
  const claims: Claim[] = ['plain', 'discord', 'names'];
  const keeps = Array.from({ length: 8 }, (_, bits) => claims.filter((_claim, at) => bits & (1 << at)));
  for (const ring of ['own', 'servers', 'none'] as const)
    for (const mode of ['private', 'discord', null] as const)
      for (const address of ['secret', 'key', 'none'] as const)
        for (const kept of keeps)
          for (const hidesNames of flags)
            for (const isPinned of flags)
              for (const isReplaced of flags)
                for (const says of SAYS)
                  for (const saysHidden of flags)
                    yield [
                      { ring, mode, address, kept, hidesNames, isPinned, isReplaced },
                      { mode: says, hidesNames: saysHidden },
                    ];
}

describe('for all that this device knows and the server says', () => {
  const all = [...everything()].map(([knows, says]) => ({ knows, says, trust: trustOf(knows, says) }));
  const those = (matches: (one: (typeof all)[number]) => boolean) => all.filter(matches);

  test('there are all of them', () => {
    expect(all).toHaveLength(3 * 3 * 3 * 8 * 2 * 2 * 2 * 4 * 2);
  });

  test('no file is sent or read in clear where this device knows the folder as encrypted', () => {
    const isKnown = ({ ring, address, isPinned }: FolderKnowledge) => ring !== 'none' || address !== 'none' || isPinned;
    for (const { knows, says, trust } of all) {
      const isPlain = says.mode === 'plain' && !isKnown(knows);
      expect([trust.sealing.kind === 'plain', trust.readsAs === 'plain', trust.mode === 'plain']).toEqual(
        Array(3).fill(isPlain),
      );
    }
  });

  test('names that are hidden here are never sent', () => {
    for (const { trust } of those(({ knows }) => knows.hidesNames && knows.mode !== null)) {
      expect(trust.sealing.kind === 'sealed' && !trust.sealing.hidesNames).toBe(false);
      expect(trust.hidesNames).toBe(true);
    }
  });

  test('a server’s key seals only where the person has said so, and only in a Discord link', () => {
    const byServers = those(({ knows, trust }) => knows.ring !== 'own' && trust.sealing.kind === 'sealed');
    expect(byServers.length).toBeGreaterThan(0);
    for (const { knows, says } of byServers) {
      expect(knows).toMatchObject({ ring: 'servers', mode: expect.any(String) });
      expect(says.mode === 'discord' || knows.kept.includes('plain')).toBe(true);
    }
  });

  test('a claim that was not answered stops uploading', () => {
    const ofOwn = those(({ knows }) => knows.ring === 'own' && knows.mode === 'private');
    for (const { trust } of ofOwn.filter(({ knows, says }) => says.mode === 'plain' && !knows.kept.includes('plain'))) {
      expect(wordOf(trust)).toBe('asks plain');
    }
    for (const { trust } of ofOwn.filter(
      ({ knows, says }) => says.mode === 'discord' && !knows.kept.includes('discord'),
    )) {
      expect(wordOf(trust)).toBe('asks discord');
    }
  });

  test('an old key seals nothing in a private folder whose link was replaced, and no key in a revoked one', () => {
    for (const { trust } of those(({ knows, says }) => knows.isReplaced && says.mode === 'private')) {
      expect(trust.sealing.kind).toBe('blocked');
    }
    for (const { trust } of those(({ says }) => says.mode === 'revoked')) expect(wordOf(trust)).toBe('no: revoked');
  });

  test('what this device and the server agree on brings no question', () => {
    const agreed = those(
      ({ knows, says }) => knows.ring === 'own' && knows.mode === says.mode && says.hidesNames && !knows.isReplaced,
    );
    expect(agreed.length).toBeGreaterThan(0);
    for (const { trust } of agreed) expect(wordOf(trust)).toBe('sealed');
  });
});
