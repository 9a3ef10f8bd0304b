/** Where the application is, and may be. Whoever serves the chat's world implements it. */

/** A server in which the person may add applications, or the person's own account. */
export interface InstallTarget {
  readonly kind: 'server' | 'account';
  readonly id: string;
  readonly name: string;
  readonly is_installed: boolean;
}

export interface Installations {
  targetsOf(persona: string): readonly InstallTarget[];
  /** Adding it where it is already is fine. @throws ChatError for a target that isn't the person's to choose */
  install(persona: string, targetId: string): void;
  /** Takes the application off the account and ends its authorizations, of which the application is told. */
  deauthorize(persona: string): Promise<void>;
}
