/** Sentences that a redirect may ask the next page to show: only these words, never a text from the address. */
const notices: Record<string, string> = {
  "product-gone":
    "You no longer have access to your active product. It was archived or deleted, or you are no longer a member. Choose another one.",
};

export function readNotice(request: Request): string | null {
  const name = new URL(request.url).searchParams.get("notice");
  return name ? (notices[name] ?? null) : null;
}
