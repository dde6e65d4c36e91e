import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import { type ActionResult, useResultOf } from "~/ui/action-result";
import { forgetAnswer, keyOfAnswer, useHeldAnswers } from "./held-answers";

/** Reports the results of answers, on whichever page the user is by then. */
export function AnswerTrackers() {
  const sent = [...useHeldAnswers()].filter(([, { timer }]) => timer === null);
  return sent.map(([id]) => <Tracker key={id} questionId={id} />);
}

function Tracker({ questionId }: { questionId: string }) {
  const key = keyOfAnswer(questionId);
  useResultOf(key);
  const { state, data } = useFetcher<ActionResult>({ key });
  useEffect(() => {
    if (state === "idle" && data) forgetAnswer(questionId);
  }, [state, data, questionId]);
  return null;
}
