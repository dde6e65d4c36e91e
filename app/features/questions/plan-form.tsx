import { lengths } from "~/contract/limits";
import type { AgentQuestion } from "~/nouns/questions/contract";
import { ActionForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { HiddenFields, TextAreaField } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";

/** The plan, word for word: what is approved is what agents get. */
export function PlanText({ plan }: { plan: string }) {
  return (
    <pre className="max-h-96 overflow-auto rounded border border-line bg-raised p-3 text-sm break-words whitespace-pre-wrap">
      {plan}
    </pre>
  );
}

/** Approves a plan that waits, as it is or edited, or sends it back with comments. */
export function PlanForm({ question: { id, job_id, plan } }: { question: AgentQuestion }) {
  const action = `/jobs/${job_id}?index`;
  const verdict = (value: string) => (
    <HiddenFields fields={{ intent: "judge-plan", verdict: value }} />
  );
  return (
    <WriteFields className="grid gap-3">
      <ActionForm action={action} aria-label="Approve the plan">
        {verdict("approve")}
        <SubmitButton pendingLabel="Approving…">Approve</SubmitButton>
      </ActionForm>
      <details>
        <summary className="cursor-pointer text-sm">Send back</summary>
        <ActionForm action={action} className="mt-2 grid gap-2" aria-label="Send the plan back">
          {verdict("request_changes")}
          <TextAreaField
            id={`remarks-${id}`}
            name="summary"
            label="What should change"
            description="The agent reads this in the same conversation and plans again."
            required
            maxLength={3_000}
          />
          <div>
            <SubmitButton tone="plain" pendingLabel="Sending…">
              Send back
            </SubmitButton>
          </div>
        </ActionForm>
      </details>
      <details>
        <summary className="cursor-pointer text-sm">Edit and approve</summary>
        <ActionForm action={action} className="mt-2 grid gap-2" aria-label="Edit the plan">
          {verdict("approve")}
          <TextAreaField
            id={`plan-${id}`}
            name="plan"
            label="Plan"
            mono
            required
            maxLength={lengths.text}
            defaultValue={plan ?? ""}
          />
          <div>
            <SubmitButton tone="plain" pendingLabel="Approving…">
              Approve as edited
            </SubmitButton>
          </div>
        </ActionForm>
      </details>
    </WriteFields>
  );
}
