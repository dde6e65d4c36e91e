import { useNavigate } from "@remix-run/react";
import { ActionForm } from "./action-form";
import { Confirm } from "./confirm";
import { HiddenFields } from "./hidden-fields";
import { countText } from "./numbers";

const takenBack =
  "It can be taken back for 30 seconds, unless a log, questions or jobs go with it.";

/** Deletes a PBI, story or task once it was asked again, and leads to where the thing was. */
export function DeleteThing({
  noun,
  code,
  loss,
  fields,
  goTo,
  inPanel = false,
}: {
  noun: string;
  code: string;
  /** What goes with it, in a sentence. */
  loss: string;
  /** What says to the page's action what is deleted. */
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
      confirmLabel="Delete it"
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

/** "Its 3 tasks go with it." */
export function goesAlong(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `It has no ${many}.`;
  return count === 1
    ? `Its ${one} goes with it.`
    : `Its ${countText(count, one, many)} go with it.`;
}
