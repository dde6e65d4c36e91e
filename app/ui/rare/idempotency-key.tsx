import { useLocation } from "@remix-run/react";
import { useState } from "react";
import { idempotencyField } from "~/contract/idempotency-field";
import { useActionResult } from "~/ui/action-result";

/**
 * The key of a form that makes something: pressed twice, or sent again after an answer that was lost, it makes that once.
 * It is new at each load of the page, and after each time the form did its work: on another page, or with another `made`.
 */
export function IdempotencyKey({ made }: { made?: unknown }) {
  const { key: place } = useLocation();
  const answer = useActionResult();
  const isRefused = answer !== undefined && settledBy(answer) === undefined;
  const [kept, setKept] = useState(() => ({ place, made, key: newKey() }));
  if (place !== kept.place || made !== kept.made) {
    const isDone = made === kept.made ? !isRefused : Boolean(made);
    setKept({ place, made, key: isDone ? newKey() : kept.key });
  }
  return (
    <input
      type="hidden"
      name={idempotencyField}
      defaultValue={kept.key}
      // The server has made one for this load already, and that one stays.
      suppressHydrationWarning
    />
  );
}

/** The answer of an action that did its work, or that says that the key did some before; nothing for all others. */
export function settledBy(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  if ("ok" in answer) return answer;
  const isUsed = "error" in answer && idempotencyField in Object(answer.error);
  return isUsed ? answer : undefined;
}

/** Not `randomUUID`: browsers have that on secure origins only, and a board may be looked at over plain http at home. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
