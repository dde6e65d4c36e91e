import { useActionData, useLocation } from "@remix-run/react";
import { useState } from "react";

/**
 * What the page's action answered, until the person goes on. Remix's own `useActionData` forgets it as soon as the page
 * reads its data again, and a live change does that at any moment: a token that is shown once, or what is wrong with a
 * form, must outlive it.
 */
export function useAnswer<Answer = unknown>() {
  const answer = useActionData<Answer>();
  const { key } = useLocation();
  const [kept, setKept] = useState({ key, answer });
  const isNew = key !== kept.key || (answer !== undefined && answer !== kept.answer);
  if (isNew) setKept({ key, answer });
  return isNew ? answer : kept.answer;
}
