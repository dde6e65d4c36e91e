/** Cures that the start operation itself takes. */
const cures = ["plan_first", "use_description", "leave_out"];

/** Returns the cures of the pressed pre-flight buttons. One button may carry several, separated by spaces. */
export function pressedCures(form: FormData): string[] {
  const words = form.getAll("cure").flatMap((value) => String(value).split(" "));
  return [...new Set(words)].filter((word) => word !== "");
}

/** Returns the pressed cures that the start operation takes, as its input flags. */
export const curesOfStart = (pressed: readonly string[]): Record<string, true> =>
  Object.fromEntries(cures.filter((cure) => pressed.includes(cure)).map((cure) => [cure, true]));

/** Address of a started run's page, with the left-out tasks in the query so the page can name them. */
export function runWithLeftOut(
  productId: string,
  runId: string,
  leftOut: readonly { task_code: string }[] = [],
): string {
  const left = new URLSearchParams(leftOut.map(({ task_code }) => ["left_out", task_code]));
  return `/products/${productId}/runs/${runId}${left.size > 0 ? `?${left}` : ""}`;
}
