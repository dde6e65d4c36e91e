/** The database refuses other sprints. Apart, because boards use it in the browser, and contract.ts loads zod. */
export function takesStories({ status }: { status: string }): boolean {
  return status === "planned" || status === "active";
}

/** Nothing is planned in it any more. */
export function hasEnded({ status }: { status: string }): boolean {
  return status === "completed" || status === "cancelled";
}
