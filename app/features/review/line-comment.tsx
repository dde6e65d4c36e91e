import type { JobComment } from "~/nouns/job-reviews/contract";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { RelativeTime } from "~/ui/relative-time";

/** A comment on a line. Only its author sees a draft, and can delete it. */
export function LineComment({ comment }: { comment: JobComment }) {
  return (
    <article
      aria-label={`Comment by ${comment.author}`}
      className="my-1 ml-3 grid max-w-2xl gap-1 rounded border border-line bg-raised px-3 py-2 text-sm"
    >
      <header className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <strong className="font-medium text-ink">{comment.author}</strong>
        <RelativeTime at={comment.created_at} />
        {comment.draft ? <span className="text-status-waiting">draft</span> : null}
        {comment.stale ? (
          <span className="text-status-waiting">
            outdated: line {comment.line} of attempt {comment.attempt}
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
          <HiddenFields
            fields={{ intent: "delete-comment", job_id: comment.job_id, comment_id: comment.id }}
          />
          <Button type="submit" size="sm" tone="quiet">
            Delete
          </Button>
        </ActionForm>
      ) : null}
    </article>
  );
}
