import { useNavigate } from "@remix-run/react";
import { Confirm } from "~/ui/confirm";
import { countText } from "~/ui/numbers";

const takenBack = "You can undo this for 30 seconds, unless it also deletes a log, questions or jobs.";

/** Where the person is after the deletion: elsewhere, or at the list whose panel it was. */
type Afterwards = { goTo?: string; panel?: { closeTo: string; onClose?: (() => void) | undefined } };

export function DeleteTask({ task: { id, code }, ...afterwards }: Afterwards & { task: { id: string; code: string } }) {
  return (
    <DeleteItem
      noun="task"
      code={code}
      loss="This also deletes its jobs and history."
      fields={{ intent: "delete" }}
      action={`/tasks/${id}`}
      {...afterwards}
    />
  );
}

export function DeleteStory({
  page: { story, tasks },
  ...afterwards
}: Afterwards & { page: { story: { id: string; code: string }; tasks: readonly unknown[] } }) {
  return (
    <DeleteItem
      noun="story"
      code={story.code}
      loss={goesAlong(tasks.length, "task")}
      fields={{ intent: "delete" }}
      action={`/stories/${story.id}`}
      {...afterwards}
    />
  );
}

/** Deletes a PBI, story or task after confirmation, then opens `goTo` or, in a panel, closes it. */
export function DeleteItem({
  noun,
  code,
  loss,
  fields,
  action,
  goTo,
  panel,
}: {
  noun: string;
  code: string;
  loss: string;
  /** Hidden fields that tell the action what to delete. */
  fields: Readonly<Record<string, string>>;
  /** Form action, if it is not the page's. */
  action?: string;
} & Afterwards) {
  const navigate = useNavigate();
  const leave = () => {
    if (panel?.onClose) panel.onClose();
    else navigate(panel?.closeTo ?? goTo ?? ".", { preventScrollReset: panel !== undefined });
  };
  return (
    <Confirm
      trigger={`Delete ${noun}`}
      size={panel ? undefined : "sm"}
      question={`Delete ${code}?`}
      consequence={`${loss} ${takenBack}`}
      confirmLabel="Delete"
      action={action}
      onDone={leave}
      fields={fields}
    />
  );
}

/** Returns "This also deletes its 3 tasks." */
export function goesAlong(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `It has no ${many}.`;
  return count === 1 ? `This also deletes its ${one}.` : `This also deletes its ${countText(count, one, many)}.`;
}
