import { Form } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button, SubmitButton } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { WriteFields } from "~/components/write-access";
import type { SprintRunDetail } from "~/contract/sprint-run";

/** What can be done with a run in its state. */
export function RunControls({ run }: { run: SprintRunDetail }) {
  if (run.status === "failed") {
    return (
      <WriteFields quiet>
        <Post intent="resume-sprint" label="Resume sprint" />
      </WriteFields>
    );
  }
  if (run.finished_at !== null) return null;
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Cancel run"
        question="Cancel this run?"
        consequence="Its unfinished jobs are cancelled; workers stop at their next heartbeat. What is done stays done."
        confirmLabel="Cancel the run"
      >
        {(buttons) => (
          <ActionForm>
            <input type="hidden" name="intent" value="cancel" />
            {buttons}
          </ActionForm>
        )}
      </Confirm>
      {run.status === "paused" ? (
        <Post intent="resume" label="Resume run" />
      ) : (
        <ActionForm>
          <Button type="submit" name="intent" value="pause">
            Pause run
          </Button>
        </ActionForm>
      )}
    </WriteFields>
  );
}

function Post({ intent, label }: { intent: string; label: string }) {
  return (
    <Form method="post">
      <SubmitButton name="intent" value={intent} pendingLabel="One moment…">
        {label}
      </SubmitButton>
    </Form>
  );
}
