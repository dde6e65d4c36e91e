/** What both screens of a pairing know without the schemas (specification: Login pairing). */

/** Seconds that a pairing waits for its approval, and again for its claim after it. */
export const pairingSeconds = 300;

/**
 * Six digits that both screens show, so that a person sees that the phone is about this desktop. They follow from
 * the id, which is no secret; the database computes the same for the phone.
 */
export function pairingCheckCode(pairingId: string): string {
  const digits = String(Number.parseInt(pairingId.replaceAll("-", "").slice(0, 8), 16) % 1_000_000);
  return digits.padStart(6, "0").replace(/^(...)/, "$1 ");
}
