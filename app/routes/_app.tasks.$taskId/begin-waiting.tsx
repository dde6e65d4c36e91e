import { ActionForm } from "~/components/action-form";
import { Confirm } from "~/components/confirm";
import { WriteFields } from "~/components/write-access";
import type { TaskPageData } from "~/contract/page-data";

/** A person may begin what waits for others, once they have read what for. */
export function BeginWaiting({ page: { task, waits_for } }: { page: TaskPageData }) {
  if (waits_for.length === 0 || (task.status !== "todo" && task.status !== "failed")) return null;
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Begin all the same"
        size="sm"
        question={`Begin ${task.code} now?`}
        consequence={`It waits for ${waits_for.join(", ")}. Agents are not given it before; you may begin it, and your activity shows that you did.`}
        confirmLabel="Begin it"
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
