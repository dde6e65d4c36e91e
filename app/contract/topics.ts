/** Private topics on which the database announces changes (specification: Events). */
export const topics = {
  product: (productId: string) => `product:${productId}`,
  user: (userId: string) => `user:${userId}`,
  pairing: (pairingId: string) => `pairing:${pairingId}`,
} as const;

/** Name of the broadcast event that carries changes. */
export const changeEventName = "change";
