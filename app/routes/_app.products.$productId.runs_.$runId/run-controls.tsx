import { Form } from "@remix-run/react";
import type { SprintRunDetail } from "~/contract/sprint-run";
import { ActionForm } from "~/ui/action-form";
import { Button, SubmitButton } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { WriteFields } from "~/ui/write-access";

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
        consequence="This cancels its unfinished jobs. Workers stop at their next heartbeat. Finished work is kept."
        confirmLabel="Cancel run"
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
      <SubmitButton name="intent" value={intent} pendingLabel="Saving…">
        {label}
      </SubmitButton>
    </Form>
  );
}
