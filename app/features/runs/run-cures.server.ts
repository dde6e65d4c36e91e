import type { Actor } from "~/db/rpc.server";
import { updatePbi } from "~/nouns/pbis/operations.server";
import { makeStoryTasks } from "~/nouns/tasks/operations.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { blockersDetailSchema } from "~/wire/sprint-runs/contract";

/** Cures that the start operation itself takes. */
const cures = ["plan_first", "use_description", "leave_out"];

/** Returns the cures of the pressed pre-flight buttons. One button may carry several, separated by spaces. */
export function pressedCures(form: FormData): string[] {
  const ids = form.getAll("cure").flatMap((value) => String(value).split(" "));
  return [...new Set(ids)].filter((id) => id !== "");
}

export const curesOfStart = (pressed: readonly string[]): Record<string, true> =>
  Object.fromEntries(cures.filter((cure) => pressed.includes(cure)).map((cure) => [cure, true]));

/** Applies cures that are separate writes. They persist even if the start is refused. */
export async function applyCures(
  actor: Actor,
  product_id: string,
  pressed: readonly string[],
  storyIds: () => Promise<string[]>,
): Promise<void> {
  for (const cure of pressed) {
    if (!cure.startsWith("unblock:")) continue;
    await updatePbi(actor, { pbi_id: canonicalId(cure.slice(8)), status: "ready" });
  }
  if (!pressed.includes("make_tasks")) return;
  const story_ids = await storyIds();
  if (story_ids.length > 0) await makeStoryTasks(actor, { product_id, story_ids });
}

/** Returns a refused start's blockers with the cures pressed so far; throws any other error again. */
export function keepCures(error: unknown, chosen: readonly string[]) {
  const detail = error instanceof ContractError ? blockersDetailSchema.safeParse(error.detail) : null;
  if (!(error instanceof ContractError) || !detail?.success) throw error;
  // What holds by itself is not pressed again.
  const kept = chosen.filter((cure) => cure !== "make_tasks" && !cure.startsWith("unblock:"));
  return { error: error.message, blockers: detail.data.blockers, chosen: kept };
}

/** Address of a started run's page, with the left-out tasks in the query so the page can name them. */
export function runWithLeftOut(
  productId: string,
  runId: string,
  leftOut: readonly { task_code: string }[] = [],
): string {
  const left = new URLSearchParams(leftOut.map(({ task_code }) => ["left_out", task_code]));
  return `/products/${productId}/runs/${runId}${left.size > 0 ? `?${left}` : ""}`;
}
