/**
 * Whether stories can join a sprint: only if it is planned or active. The database refuses all others. In a separate
 * file, because boards use it in the browser, where contract.ts would load zod too.
 */
export function takesStories({ status }: { status: string }): boolean {
  return status === "planned" || status === "active";
}
