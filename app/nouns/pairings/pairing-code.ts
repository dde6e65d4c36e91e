/** Shared by both screens of a pairing, without loading the schemas (specification: Login pairing). */

/** Seconds a pairing waits for approval, and then again for its claim. */
export const pairingSeconds = 300;

/** Six digits that both screens show. Derived from the id, which is not secret; the database computes the same. */
export function pairingCheckCode(pairingId: string): string {
  const digits = String(Number.parseInt(pairingId.replaceAll("-", "").slice(0, 8), 16) % 1_000_000);
  return digits.padStart(6, "0").replace(/^(...)/, "$1 ");
}
