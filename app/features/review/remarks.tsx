import { visible } from "~/features/proof/visible";
import { OneLine } from "~/ui/fold";
import { useLinkArea } from "~/ui/link-area";
import { RelativeTime } from "~/ui/relative-time";
import type { TaskPageData } from "~/wire/pages/contract";

type TaskReview = TaskPageData["reviews"][number];
type Review = Omit<TaskReview, "comments">;

type Remarked = TaskReview["comments"][number] & { index: number | null; stale: boolean | null };

/** Why a task is to be done again: its newest review asks for changes. */
export function SentBack({ page: { task, reviews, jobs } }: { page: Pick<TaskPageData, "task" | "reviews" | "jobs"> }) {
  const newest = reviews.at(-1);
  const isOver = ["review", "done"].includes(task.status) && !jobs.some((job) => job.pending_verdict);
  return newest?.verdict === "request_changes" && !isOver ? <TaskReviews reviews={[newest]} /> : null;
}

export function TaskReviews({ reviews }: { reviews: readonly TaskReview[] }) {
  const comments = reviews.flatMap((each) => each.comments.map((said) => ({ ...said, index: null, stale: null })));
  return <Remarks reviews={reviews} comments={comments} inFull />;
}

/** What people said of the work so far, the newest first, and what became of each line that they commented on. */
export function Remarks(props: { reviews: readonly Review[]; comments: readonly Remarked[]; inFull?: boolean }) {
  const { reviews, comments, inFull = false } = props;
  const links = { onClick: useLinkArea() };
  if (reviews.length === 0) return null;
  return (
    <ol {...links} aria-label="Reviews so far" className="grid gap-2 border-l-2 border-line-strong pl-3 text-sm">
      {reviews.toReversed().map(({ id, author, verdict, attempt, created_at, summary }) => (
        <li key={id} className="grid gap-0.5">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <p>
              <strong className="font-medium">{author}</strong> {verdictLabels[verdict]} attempt {attempt},{" "}
              <RelativeTime at={created_at} />
            </p>
            {summary ? <OneLine open={inFull}>{visible(summary)}</OneLine> : null}
          </div>
          {comments
            .filter(({ review_id }) => review_id === id)
            .map((comment) => (
              <Remark key={comment.id} comment={comment} />
            ))}
        </li>
      ))}
    </ol>
  );
}

/** The line that it was about unfolds where it is gone. */
function Remark({ comment: { index, path, line, line_text, body, stale } }: { comment: Remarked }) {
  const place = `${path}:${line}`;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3">
      {index === null ? (
        <bdi className="font-mono text-xs wrap-anywhere">{place}</bdi>
      ) : (
        <a href={`#file-${index}`} className="font-mono text-xs wrap-anywhere text-accent underline">
          <bdi>{place}</bdi>
        </a>
      )}
      <OneLine
        open={stale === null}
        more={
          stale ? <pre className="font-mono text-xs whitespace-pre-wrap line-through">{visible(line_text)}</pre> : null
        }
      >
        {visible(body)}
      </OneLine>
      {stale === null ? null : (
        <span className={stale ? "text-xs text-done" : "text-xs font-medium text-waiting"}>
          {stale ? "line changed" : "line unchanged"}
        </span>
      )}
    </div>
  );
}

/** Completes "Ada … attempt 2". */
const verdictLabels = { approve: "approved", request_changes: "requested changes on" };
