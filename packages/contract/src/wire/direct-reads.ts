/**
 * Reading sealed files from the store itself (docs/decisions/031): a reader that accepts this type may get the addresses of
 * a file's parts instead of its bytes.
 */

export const PARTS_TYPE = 'application/vnd.satchel.parts+json';

/** Bytes of the file from `start` up to but not including `end`, which are the first ones at `url`. */
export interface PartAddress {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/** The parts that hold the range that was asked for, from its start on; a long range may take several questions. */
export interface PartAddresses {
  readonly size_bytes: number;
  /** How long a request at the addresses may begin. */
  readonly valid_seconds: number;
  readonly parts: readonly PartAddress[];
}
