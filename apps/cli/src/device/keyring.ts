import { createRequire } from 'node:module';

/** The secret store of the system: Keychain, Credential Manager, or the Secret Service of a desktop. */
interface Keyring {
  /** @returns null where it has none, or doesn't give it */
  read(account: string): string | null;
  /** @returns false where it doesn't take it */
  write(account: string, secret: string): boolean;
  remove(account: string): void;
}

/** What we use of `@napi-rs/keyring` 2. */
interface Library {
  readonly Entry: new (
    service: string,
    account: string,
    options: { readonly linux: { readonly store: 'secret-service' } },
  ) => { getPassword(): string | null; setPassword(secret: string): void; deletePassword(): boolean };
}

const LIBRARY = '@napi-rs/keyring';
const SERVICE = 'satchel';

/** What a locked or missing store throws is no failure of the command. */
function attempt<Result>(work: () => Result, otherwise: Result): Result {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** The keyring, where its library happens to be installed: it is machine code for each system, and this command is one file. */
export function openKeyring(): Keyring | null {
  const library = attempt(() => createRequire(import.meta.url)(LIBRARY) as Library, null);
  if (library === null) return null;
  // Where a machine has no desktop, the library would take the kernel's keyring, which a restart empties.
  const entry = (account: string) => new library.Entry(SERVICE, account, { linux: { store: 'secret-service' } });
  return {
    read: (account) => attempt(() => entry(account).getPassword(), null),
    write: (account, secret) =>
      attempt(() => {
        entry(account).setPassword(secret);
        return true;
      }, false),
    remove: (account) => void attempt(() => entry(account).deletePassword(), false),
  };
}
