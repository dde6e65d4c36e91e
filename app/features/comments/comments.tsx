import { Link, useLocation } from "@remix-run/react";
import { useIsViewer } from "~/features/products/product-access";
import { Section } from "~/ui/card";
import { WriteAccessProvider } from "~/ui/write-access";
import { CommentBox } from "./comment-box";
import { CommentItem } from "./comment-item";
import { earlierParameter, type ShownComments } from "./shown-comment";

/** Comments of people and agents on an item, oldest first, and a box for a new one. */
export function Comments({
  comments,
  isOwner,
  toAgent = false,
}: {
  comments: ShownComments;
  isOwner: boolean;
  /** Whether an agent works on the item and can receive messages. */
  toAgent?: boolean;
}) {
  const { list, earlier } = comments;
  const isViewer = useIsViewer(comments.productId);
  const section = (
    <Section id="comments" title={earlier ? "Comments" : `Comments (${list.length})`}>
      <div className="grid gap-4">
        <EarlierComments earlier={earlier} />
        {list.length === 0 ? (
          <p className="text-sm text-muted">
            No comments yet. Mention a member with @ and their name.
          </p>
        ) : (
          <ol className="grid gap-4">
            {list.map((comment) => (
              <CommentItem
                key={comment.id}
                comment={comment}
                item={comments}
                isOwn={comment.author_id === comments.viewerId}
                isOwner={isOwner}
              />
            ))}
          </ol>
        )}
        <CommentBox item={comments} toAgent={toAgent && !isViewer} />
      </div>
    </Section>
  );
  // Viewers may comment, although they may change nothing else.
  return isViewer ? (
    <WriteAccessProvider reason={null} replace>
      {section}
    </WriteAccessProvider>
  ) : (
    section
  );
}

function EarlierComments({ earlier }: { earlier: string | null }) {
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  const isEarlier = params.has(earlierParameter);
  const to = (before: string | null) => {
    const next = new URLSearchParams(params);
    if (before === null) next.delete(earlierParameter);
    else next.set(earlierParameter, before);
    return `?${next}#comments`;
  };
  if (!earlier && !isEarlier) return null;
  const look = "text-accent underline underline-offset-2 hover:decoration-2";
  return (
    <p className="flex gap-4 text-sm">
      {earlier ? (
        <Link to={to(earlier)} className={look}>
          Earlier comments
        </Link>
      ) : null}
      {isEarlier ? (
        <Link to={to(null)} className={look}>
          Newest comments
        </Link>
      ) : null}
    </p>
  );
}
