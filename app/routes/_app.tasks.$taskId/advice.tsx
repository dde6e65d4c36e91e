import { Link } from "@remix-run/react";
import type { ScoreboardRow } from "~/nouns/insights/scoreboard";
import { percentText } from "~/ui/numbers";

/** Who is clearly best at such tasks, in one line. Nothing is chosen by it. */
export function Advice({ best, productId }: { best: ScoreboardRow; productId: string }) {
  const { agent, model, label, first_pass, finished } = best;
  return (
    <p className="text-sm text-muted">
      {agent}
      {model === null ? "" : ` with ${model}`} was right at once in {percentText(first_pass ?? 0)}{" "}
      of {finished} tasks{label === null ? "" : ` labeled ${label}`}, clearly more than the others:{" "}
      <Link to={`/insights/agents?product=${productId}`} className="text-accent underline">
        compare
      </Link>
      .
    </p>
  );
}
