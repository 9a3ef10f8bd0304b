/** One migration of the schema. A released migration is never edited: databases store its hash and compare it. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly statements: readonly string[];
}
