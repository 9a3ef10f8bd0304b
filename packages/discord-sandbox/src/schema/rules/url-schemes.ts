import { fault, type Spot } from '../faults.ts';

/** Where an address may lead. What is no address at all is said by the schema. */
export function checkScheme(value: unknown, spot: Spot, schemes: readonly string[]) {
  if (typeof value !== 'string' || !URL.canParse(value)) return;
  const scheme = new URL(value).protocol.slice(0, -1);
  if (schemes.includes(scheme)) return;
  const list = schemes.map((one) => `'${one}'`).join(', ');
  fault(spot, 'URL_TYPE_INVALID_SCHEME', `Scheme "${scheme}" is not supported. Scheme must be one of (${list}).`);
}
