/** More would not fit into an address. */
export const mostRunItems = 100;

/** Where a run of these items (`task:id`, `story:id`) is started, and what is in its way is shown. */
export const runAddress = (productId: string, items: readonly string[]): string =>
  `/products/${productId}/runs/new?${new URLSearchParams(items.map((item) => ["item", item]))}`;
