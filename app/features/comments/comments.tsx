import { Link, useFetcher, useLocation } from "@remix-run/react";
import { useIsViewer } from "~/features/products/product-access";
import { type ActionResult, useActionResult, useSent } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CheckField, HiddenFields } from "~/ui/field";
import { FormDraft, ServerForm, useServerForm } from "~/ui/forms/server-form";
import { WriteAccessProvider, WriteFields } from "~/ui/write-access";
import { CommentItem } from "./comment-item";
import { MentionArea } from "./mention-area";
import { earlierParameter, type ShownComments } from "./shown-comment";

interface CommentsProps {
  comments: ShownComments;
  isOwner: boolean;
  /** Whether an agent works on the item and can receive messages. */
  toAgent?: boolean;
}

/** Comments of people and agents on an item, oldest first, and a box for a new one. */
export function Comments({ comments, isOwner, toAgent = false }: CommentsProps) {
  const { list, earlier } = comments;
  const isViewer = useIsViewer(comments.productId);
  const section = (
    <Section id="comments" title={earlier ? "Comments" : `Comments (${list.length})`}>
      <div className="grid gap-4">
        <EarlierComments earlier={earlier} />
        {list.length === 0 ? (
          <p className="text-sm text-muted">No comments yet. Mention a member with @ and their name.</p>
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

/** The form for a new comment. Refused text stays in the box; sent text is cleared. */
function CommentBox({ item, toAgent }: { item: ShownComments; toAgent: boolean }) {
  const { kind, id, productId } = item;
  const fetcher = useFetcher<ActionResult>({ key: `comment ${kind} ${id}` });
  const withoutScript = useActionResult();
  const sent = useSent(fetcher);
  const form = useServerForm<"body">({
    lastResult: fetcher.data ?? (isAboutBody(withoutScript) ? withoutScript : undefined),
    id: `comment-box-${id}-${sent}`,
  });
  const { errors, defaultValue } = form.field("body");
  return (
    <ServerForm key={sent} form={form} fetcher={fetcher} creates className="grid gap-2">
      <WriteFields className="grid gap-2">
        <HiddenFields fields={{ intent: "add-comment", kind, id }} />
        <FormDraft name={`comment ${kind} ${id}`} answer={form.answer} fills />
        <MentionArea label="Add a comment" productId={productId} defaultValue={defaultValue} errors={errors} />
        {toAgent ? (
          <CheckField
            label="Send to the agent"
            description="The agent reads it between two steps, or when its next turn begins."
            name="send_to_agent"
          />
        ) : null}
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Sending…">
            Comment
          </SubmitButton>
          <span className="text-xs text-muted">
            Markdown. @name notifies a member.
            <span className="hidden keyboard:inline"> Ctrl or ⌘ + Enter sends it.</span>
          </span>
        </div>
      </WriteFields>
    </ServerForm>
  );
}

/** Whether the action result belongs to this form: it must have a `body` field. */
function isAboutBody(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer)) return false;
  const { initialValue } = answer;
  return typeof initialValue === "object" && initialValue !== null && "body" in initialValue;
}
