import type { TaskPageData } from "~/contract/page-data";
import { ActionForm } from "~/ui/action-form";
import { Confirm } from "~/ui/confirm";
import { WriteFields } from "~/ui/write-access";

/** A person may begin what waits for others, once they have read what for. */
export function BeginWaiting({ page: { task, waits_for } }: { page: TaskPageData }) {
  if (waits_for.length === 0 || (task.status !== "todo" && task.status !== "failed")) return null;
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Start anyway"
        size="sm"
        question={`Start ${task.code} now?`}
        consequence={`It is blocked by ${waits_for.join(", ")}. Agents cannot start it yet. You can, and your activity records it.`}
        confirmLabel="Start"
        confirmTone="primary"
      >
        {(buttons) => (
          <ActionForm>
            <input type="hidden" name="intent" value="set-status" />
            <input type="hidden" name="status" value="in_progress" />
            <input type="hidden" name="confirmed" value="on" />
            {buttons}
          </ActionForm>
        )}
      </Confirm>
    </WriteFields>
  );
}
