import { useLocation } from "@remix-run/react";
import { useState } from "react";
import { randomId } from "~/secure-only";
import { useActionResult } from "~/ui/action-result";
import { idempotencyField } from "~/wire/idempotency-field";

/** Double clicks and retries create once. Changes with each load and success: a new location or a new `made`. */
export function IdempotencyKey({ made }: { made?: unknown }) {
  const { key: location } = useLocation();
  const answer = useActionResult();
  const isRefused = answer !== undefined && settledBy(answer) === undefined;
  const [kept, setKept] = useState(() => ({ place: location, made, key: randomId() }));
  if (location !== kept.place || made !== kept.made) {
    const isDone = made === kept.made ? !isRefused : Boolean(made);
    setKept({ place: location, made, key: isDone ? randomId() : kept.key });
  }
  return (
    <input
      type="hidden"
      name={idempotencyField}
      defaultValue={kept.key}
      // The key that the server rendered stays.
      suppressHydrationWarning
    />
  );
}

/** Returns the answer if the action succeeded or the key was already used; otherwise undefined. */
export function settledBy(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  if ("ok" in answer) return answer;
  const isUsed = "error" in answer && idempotencyField in Object(answer.error);
  return isUsed ? answer : undefined;
}
