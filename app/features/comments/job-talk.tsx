import { useFetcher } from "@remix-run/react";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { useIsViewer } from "~/features/products/product-access";
import type { JobMessage } from "~/nouns/comments/agent-message";
import { type ActionResult, useActionResult, useSent } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { MessageStateBadge } from "./comment-item";
import { MentionArea } from "./mention-area";

export type ShownMessage = JobMessage & { html: SafeHtml | null };

/** Messages to a job's agent with their delivery state, and a box for a new one while the agent works. */
export function JobTalk({
  productId,
  messages,
  isOpen,
}: {
  productId: string;
  messages: readonly ShownMessage[];
  /** Whether the job has an agent or will get one. */
  isOpen: boolean;
}) {
  const isViewer = useIsViewer(productId);
  const canSend = isOpen && !isViewer;
  if (!canSend && messages.length === 0) return null;
  return (
    <Section title="Messages to the agent" id="messages">
      <div className="grid gap-4">
        {messages.length > 0 ? (
          <ol className="grid gap-3">
            {messages.map((message) => (
              <li key={message.id} className="grid gap-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
                  <strong className="font-semibold text-ink">{message.author}</strong>
                  <RelativeTime at={message.sent_at} />
                  <span>on {message.about}</span>
                  <MessageStateBadge message={message} />
                </p>
                {message.html ? <Prose content={message.html} /> : null}
              </li>
            ))}
          </ol>
        ) : null}
        {canSend ? <TalkBox productId={productId} /> : null}
      </div>
    </Section>
  );
}

function TalkBox({ productId }: { productId: string }) {
  const fetcher = useFetcher<ActionResult>({ key: "job-talk" });
  const withoutScript = useActionResult();
  const sent = useSent(fetcher);
  const form = useServerForm<"body">({
    lastResult: fetcher.data ?? withoutScript,
    id: `job-talk-${sent}`,
  });
  const { errors, defaultValue } = form.field("body");
  return (
    <ServerForm key={sent} form={form} fetcher={fetcher} creates className="grid gap-2">
      <WriteFields className="grid gap-2">
        <input type="hidden" name="intent" value="message" />
        <MentionArea
          label="Write to the agent"
          productId={productId}
          defaultValue={defaultValue}
          errors={errors}
        />
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Sending…">
            Send to the agent
          </SubmitButton>
          <span className="text-xs text-muted">
            Also a comment on the task. The agent reads it between two steps, or when its next turn
            begins.
          </span>
        </div>
      </WriteFields>
    </ServerForm>
  );
}
