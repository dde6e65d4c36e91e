/**
 * Stories join a sprint that is planned or runs; the database refuses every other one. In a file of its own: the
 * boards ask it in the browser, where the schemas beside it would bring zod along.
 */
export function takesStories({ status }: { status: string }): boolean {
  return status === "planned" || status === "active";
}
