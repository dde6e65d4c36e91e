import { useRef } from "react";
import { type ActionResult, useResultToast, wasToast } from "./action-result";

/**
 * The answer to a form: a refusal below its controls, all else in the corner. There goes a refusal too that offers a press, or
 * whose form is out of sight, as in a menu that has closed.
 */
export function FormResult({
  answer,
  isSending,
  onDone,
}: {
  answer: ActionResult | undefined;
  isSending: boolean;
  onDone?: (() => void) | undefined;
}) {
  const place = useRef<HTMLParagraphElement>(null);
  useResultToast(answer, onDone, place);
  if (isSending || !answer?.error || answer.begin || wasToast(answer)) return null;
  return (
    <p ref={place} role="alert" className="max-w-prose basis-full text-sm text-failed">
      {answer.error}
    </p>
  );
}
