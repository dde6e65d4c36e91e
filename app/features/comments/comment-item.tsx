import { useRef } from "react";
import { Prose } from "~/features/markdown/prose";
import { ActionForm } from "~/ui/action-form";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Button, buttonClass } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { HiddenFields } from "~/ui/field";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { MessageState } from "~/wire/comments/contract";
import { MentionArea } from "./mention-area";
import type { ShownComment, ShownComments } from "./shown-comment";

type CommentItemProps = { comment: ShownComment; item: ShownComments; isOwn: boolean; isOwner: boolean };

/** One comment, with the actions of its author and of the product's owner. */
export function CommentItem({ comment, item, isOwn, isOwner }: CommentItemProps) {
  const { id, author, text, created_at, edited_at } = comment;
  return (
    <li id={`comment-${id}`} className="grid scroll-mt-20 grid-cols-[1.75rem_minmax(0,1fr)] gap-x-2.5">
      <Avatar name={author} />
      <article aria-label={`Comment by ${author}`} className="grid gap-1">
        <header className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <strong className="font-semibold text-ink">{author}</strong>
          <a href={`#comment-${id}`} className="hover:underline">
            <RelativeTime at={created_at} />
          </a>
          {edited_at ? (
            <span>
              edited <RelativeTime at={edited_at} />
            </span>
          ) : null}
        </header>
        {text ? <Prose content={text} /> : null}
        {comment.deliveries?.map((delivery) => (
          <p key={delivery.job_id}>
            <MessageStateBadge message={delivery} />
          </p>
        ))}
        {isOwn || isOwner ? (
          <WriteFields quiet>
            <div className="-ml-2 flex flex-wrap items-start gap-1">
              {isOwn ? <EditComment comment={comment} item={item} /> : null}
              <DeleteComment comment={comment} item={item} />
            </div>
          </WriteFields>
        ) : null}
      </article>
    </li>
  );
}

type OwnComment = { comment: ShownComment; item: ShownComments };

/** A disclosure, so that it works without JavaScript. */
function EditComment({ comment, item }: OwnComment) {
  const disclosure = useRef<HTMLDetailsElement>(null);
  const close = () => disclosure.current?.removeAttribute("open");
  return (
    <details ref={disclosure} className="open:basis-full">
      <summary className={buttonClass("quiet", "sm", "cursor-pointer")}>Edit</summary>
      <ActionForm className="mt-2 ml-2 grid gap-2" onDone={close} aria-label="Edit your comment">
        <HiddenFields fields={fieldsOf("edit-comment", comment, item)} />
        <MentionArea
          key={comment.edited_at}
          label="Comment"
          productId={item.productId}
          defaultValue={comment.body}
          onEscape={close}
        />
        <div className="flex gap-2">
          <Button type="submit" size="sm" tone="primary">
            Save comment
          </Button>
        </div>
      </ActionForm>
    </details>
  );
}

function DeleteComment({ comment, item }: OwnComment) {
  return (
    <Confirm
      trigger="Delete"
      label={`Delete the comment by ${comment.author}`}
      size="sm"
      tone="quiet"
      question="Delete this comment?"
      consequence="The comment is deleted for everyone. Agents that already read it keep what they know."
      confirmLabel="Delete"
      fields={fieldsOf("delete-comment", comment, item)}
    />
  );
}

function fieldsOf(intent: string, comment: ShownComment, { kind, id }: ShownComments) {
  return { intent, comment_id: comment.id, kind, id };
}

type Delivered = { state: MessageState; reason: string | null; attempt: number | null };

export function MessageStateBadge({ message: { state, reason, attempt } }: { message: Delivered }) {
  const by = attempt === null ? "" : ` in attempt ${attempt}`;
  switch (state) {
    case "sent":
      return <Badge tone="waiting">Sent to the agent</Badge>;
    case "seen":
      return <Badge tone="accent">{`Seen by the agent${by}`}</Badge>;
    case "acted_on":
      return <Badge tone="accent">{`The agent acted on it${by}`}</Badge>;
    case "undelivered":
      return (
        <span className="inline-flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone="failed">Not delivered</Badge> {reason}
        </span>
      );
  }
}
