import { useEffect, useRef } from "react";
import { type ActionResult, tellOnce, useResultToast, wasTold } from "./action-result";

/** How long a refusal is there to be read. */
const readingTime = 9000;

/**
 * What came of a form: a refusal is below its controls, what was done is said in the corner. A refusal goes there too that offers a
 * press, or whose form is out of sight, as in a menu that has closed, or is taken away by what others changed.
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
  const isHere = !isSending && answer?.error && !answer.begin && !wasTold(answer);
  const shown = useRef<{ refusal: ActionResult; since: number; address: string }>();
  useEffect(() => {
    shown.current = isHere
      ? { refusal: answer, since: Date.now(), address: location.href }
      : undefined;
  }, [isHere, answer]);
  useEffect(
    () => () => {
      const { refusal, since = 0, address } = shown.current ?? {};
      const isUnread = Date.now() - since < readingTime && address === location.href;
      if (refusal && isUnread) tellOnce(refusal);
    },
    [],
  );
  if (!isHere) return null;
  return (
    <p ref={place} role="alert" className="mt-1 max-w-prose basis-full text-sm text-failed">
      {answer.error}
    </p>
  );
}
