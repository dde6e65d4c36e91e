import { priorityOptions } from "~/features/items/lists/priority";
import { Picker } from "./properties";

/** The priority of a PBI, story or task. */
export function PriorityPicker({
  value,
  fields,
  action,
}: {
  value: number;
  fields: Readonly<Record<string, string>>;
  action?: string;
}) {
  return (
    <Picker
      label="Priority"
      name="priority"
      value={String(value)}
      fields={fields}
      action={action}
      options={priorityOptions(value)}
    />
  );
}
