import type { TaskPageData } from "~/contract/page-data";
import { verdictWords } from "~/features/review/verdict-words";
import { Section } from "~/ui/card";
import { RelativeTime } from "~/ui/relative-time";

/** How the work was judged where the product came from: its jobs are not here, what people said of them is. */
export function ImportedReviews({ reviews }: { reviews: TaskPageData["imported_reviews"] }) {
  if (reviews.length === 0) return null;
  return (
    <Section
      title={`Imported reviews (${reviews.length})`}
      about="The next attempt gets the requests of the newest review."
    >
      <ol className="grid gap-4 text-sm">
        {reviews.map(({ id, author, verdict, attempt, summary, comments, created_at }) => (
          <li key={id} className="grid gap-2">
            <p>
              <strong className="font-medium">{author}</strong> {verdictWords[verdict]} attempt{" "}
              {attempt}, <RelativeTime at={created_at} />
            </p>
            {summary ? (
              <p className="break-words whitespace-pre-wrap text-muted">{summary}</p>
            ) : null}
            {comments.map((comment) => (
              <div key={comment.id} className="grid gap-0.5 border-l-2 border-line pl-3">
                <p className="font-mono text-xs break-all text-muted">
                  {comment.path}:{comment.line}
                </p>
                {comment.line_text ? (
                  <pre className="overflow-hidden font-mono text-xs text-ellipsis text-muted">
                    {comment.line_text.slice(0, 200)}
                  </pre>
                ) : null}
                <p className="break-words whitespace-pre-wrap">{comment.body}</p>
              </div>
            ))}
          </li>
        ))}
      </ol>
    </Section>
  );
}
