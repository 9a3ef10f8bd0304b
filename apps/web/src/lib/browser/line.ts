/** What browsers say of the line, where they do; TypeScript's DOM library lacks it. */
interface Connection {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

/** Whether the person asks for few bytes, or the line is slow: then only what was clicked is fetched whole. */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: Connection };
  return connection?.saveData === true || /^(slow-2g|2g|3g)$/.test(connection?.effectiveType ?? '');
}
