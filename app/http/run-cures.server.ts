/** What a start can cure. */
const cures = ["plan_first", "use_description", "leave_out"];

/** The words of the buttons that were pressed to get things out of the way, one or several a button. */
export function pressedCures(form: FormData): string[] {
  const words = form.getAll("cure").flatMap((value) => String(value).split(" "));
  return [...new Set(words)].filter((word) => word !== "");
}

/** Those among them that the start itself takes. */
export const curesOfStart = (pressed: readonly string[]): Record<string, true> =>
  Object.fromEntries(cures.filter((cure) => pressed.includes(cure)).map((cure) => [cure, true]));

/** The page of a run that was started, which says what it leaves out. */
export function runWithLeftOut(
  productId: string,
  runId: string,
  leftOut: readonly { task_code: string }[] = [],
): string {
  const left = new URLSearchParams(leftOut.map(({ task_code }) => ["left_out", task_code]));
  return `/products/${productId}/runs/${runId}${left.size > 0 ? `?${left}` : ""}`;
}
