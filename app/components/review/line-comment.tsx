import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { RelativeTime } from "~/components/relative-time";
import type { JobComment } from "~/contract/job-review";

/** What somebody said of a line. A draft is seen by its author alone, who can take it back. */
export function LineComment({ comment }: { comment: JobComment }) {
  return (
    <article
      aria-label={`Comment of ${comment.author}`}
      className="my-1 ml-3 grid max-w-2xl gap-1 rounded border border-line bg-raised px-3 py-2 text-sm"
    >
      <header className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <strong className="font-medium text-ink">{comment.author}</strong>
        <RelativeTime at={comment.created_at} />
        {comment.draft ? <span className="text-status-waiting">not sent yet</span> : null}
        {comment.stale ? (
          <span className="text-status-waiting">
            stale: line {comment.line} of attempt {comment.attempt} is no longer so
          </span>
        ) : null}
      </header>
      {comment.stale ? (
        <pre className="overflow-hidden font-mono text-xs text-ellipsis text-muted line-through">
          {comment.line_text.slice(0, 200)}
        </pre>
      ) : null}
      <p className="break-words whitespace-pre-wrap">{comment.body}</p>
      {comment.draft ? (
        <ActionForm>
          <input type="hidden" name="intent" value="delete-comment" />
          <input type="hidden" name="comment_id" value={comment.id} />
          <Button type="submit" size="sm" tone="quiet">
            Take back
          </Button>
        </ActionForm>
      ) : null}
    </article>
  );
}
