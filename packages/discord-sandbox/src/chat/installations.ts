/** Where the application is installed, and where it can be. `api/world` implements it. */

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
  /** Removes the application from the account, ends its authorizations, and tells the application. */
  deauthorize(persona: string): Promise<void>;
}
