import type { z } from "zod";
import type { pullSchema } from "~/nouns/pulls/contract";

type ShownPull = Pick<
  z.infer<typeof pullSchema>,
  "number" | "url" | "state" | "draft" | "ci" | "review"
>;

const ciWords = { none: null, pending: "CI running", passed: "CI passed", failed: "CI failed" };
const reviewWords = { none: null, approved: "approved", changes_requested: "changes requested" };

/** A pull request in one line: number, CI and review state. `g p` opens it. */
export function PullLink({ pull }: { pull: ShownPull }) {
  const { number, url, state, draft, ci, review } = pull;
  const words =
    state === "open"
      ? [draft ? "draft" : null, ciWords[ci], reviewWords[review]].filter(Boolean)
      : [state];
  const isBad = state === "open" && (ci === "failed" || review === "changes_requested");
  return (
    <a
      href={url}
      rel="noreferrer"
      data-pull
      className={`text-xs underline underline-offset-2 ${isBad ? "text-failed" : "text-accent"}`}
    >
      {[`Pull request #${number}`, ...(words.length > 0 ? words : ["open"])].join(" · ")}
    </a>
  );
}
