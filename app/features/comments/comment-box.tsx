import { useFetcher } from "@remix-run/react";
import { type ActionResult, useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { CheckField, HiddenFields } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { useSent } from "~/ui/forms/use-sent";
import { WriteFields } from "~/ui/write-access";
import { MentionArea } from "./mention-area";
import type { ShownComments } from "./shown-comment";

/** The form for a new comment. Refused text stays in the box; sent text is cleared. */
export function CommentBox({ item, toAgent }: { item: ShownComments; toAgent: boolean }) {
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
        <MentionArea
          label="Add a comment"
          productId={productId}
          defaultValue={defaultValue}
          errors={errors}
        />
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
