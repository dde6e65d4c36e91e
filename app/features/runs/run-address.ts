/** Limited by the length of an address. */
export const mostRunItems = 100;

/** Returns the address that starts a run of these items (`task:id`, `story:id`) and shows its blockers. */
export const runAddress = (productId: string, items: readonly string[]): string =>
  `/products/${productId}/runs/new?${new URLSearchParams(items.map((item) => ["item", item]))}`;
