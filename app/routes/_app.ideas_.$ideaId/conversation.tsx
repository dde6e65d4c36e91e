import { useFetcher } from "@remix-run/react";
import { useEffect, useRef } from "react";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import type { ActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextAreaField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { RelativeTime } from "~/ui/relative-time";
import { isHeld, StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { UserQuestion } from "~/wire/questions/contract";

type ConversationProps = { questions: readonly UserQuestion[]; answers: readonly (SafeHtml | null)[] };

/** Questions about an idea: a person asks, and an agent answers after reading the repository. */
export function Conversation({ questions, answers }: ConversationProps) {
  const fetcher = useFetcher<ActionResult>({ key: "ask-about-idea" });
  const area = useRef<HTMLDivElement>(null);
  const form = useServerForm<"question">({ lastResult: fetcher.data });
  const isSent = fetcher.state === "idle" && fetcher.data?.ok;
  useEffect(() => {
    if (isSent) area.current?.querySelector("form")?.reset();
  }, [isSent]);
  return (
    <Section title="Conversation" about="Ask an agent about this idea. A worker reads the repository and replies here.">
      <ol className="mb-4 grid gap-4" aria-live="polite">
        {questions.map((question, index) => {
          const answer = answers[index];
          return (
            <li key={question.id} className="grid gap-2">
              <div className="justify-self-end rounded-lg bg-accent-soft px-3 py-2 text-sm sm:max-w-4/5">
                <p className="whitespace-pre-wrap">{question.question}</p>
                <p className="mt-1 text-xs text-muted">
                  you, <RelativeTime at={question.created_at} />
                </p>
              </div>
              {answer ? (
                <div className="rounded-lg border border-line bg-raised px-3 py-2 text-sm sm:max-w-4/5">
                  <Prose content={answer} />
                </div>
              ) : (
                <p className="flex items-center gap-2 text-sm text-muted">
                  <StatusPill status={question.job_status ?? question.status} label={pendingText(question)} />
                  {question.job_failure_reason}
                </p>
              )}
            </li>
          );
        })}
      </ol>
      <div ref={area}>
        <ServerForm form={form} fetcher={fetcher} creates>
          <WriteFields className="grid gap-3">
            <input type="hidden" name="intent" value="ask" />
            <TextAreaField label="Your question" rows={2} required {...form.field("question")} />
            <SubmitButton className="justify-self-start" pending={fetcher.state !== "idle"} pendingLabel="Asking…">
              Ask
            </SubmitButton>
          </WriteFields>
        </ServerForm>
      </div>
    </Section>
  );
}

function pendingText(question: UserQuestion): string {
  if (isHeld(question.job_status)) return "A worker is answering";
  if (question.job_status === "failed") return "The worker failed";
  if (question.job_status === "cancelled") return "Cancelled";
  if (question.job_status === null) return "No answer. Ask again if you still need one";
  return "Waiting for a worker";
}
