import { useNavigate } from "@remix-run/react";
import { ActionForm } from "~/ui/action-form";
import { Confirm } from "~/ui/confirm";
import { HiddenFields } from "~/ui/field";
import { countText } from "~/ui/numbers";

const takenBack =
  "You can undo this for 30 seconds, unless it also deletes a log, questions or jobs.";

/** Deletes a PBI, story or task after confirmation, then opens `goTo`. */
export function DeleteItem({
  noun,
  code,
  loss,
  fields,
  goTo,
  inPanel = false,
}: {
  noun: string;
  code: string;
  /** Sentence that says what else is deleted. */
  loss: string;
  /** Hidden fields that tell the action what to delete. */
  fields: Readonly<Record<string, string>>;
  goTo: string;
  inPanel?: boolean;
}) {
  const navigate = useNavigate();
  return (
    <Confirm
      trigger={`Delete ${noun}`}
      size={inPanel ? undefined : "sm"}
      question={`Delete ${code}?`}
      consequence={`${loss} ${takenBack}`}
      confirmLabel="Delete"
    >
      {(buttons) => (
        <ActionForm onDone={() => navigate(goTo, { preventScrollReset: inPanel })}>
          <HiddenFields fields={fields} />
          {buttons}
        </ActionForm>
      )}
    </Confirm>
  );
}

/** Returns "This also deletes its 3 tasks." */
export function goesAlong(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `It has no ${many}.`;
  return count === 1
    ? `This also deletes its ${one}.`
    : `This also deletes its ${countText(count, one, many)}.`;
}
