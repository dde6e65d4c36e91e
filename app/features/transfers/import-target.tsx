import { HiddenFields, TextField } from "~/ui/field";
import { Cell, Table } from "~/ui/table";

/** Where the rows go: settled by the preview, and open again once the import was refused, as when the code was taken since. */
export function ImportTarget({
  fields,
  isRefused,
}: {
  fields: Readonly<Record<string, string>>;
  isRefused: boolean;
}) {
  if (!isRefused || "product_id" in fields) return <HiddenFields fields={fields} />;
  const { name = "", code = "", ...others } = fields;
  return (
    <>
      <TextField label="Name" name="name" id="target-name" defaultValue={name} required />
      <TextField label="Code" name="code" id="target-code" defaultValue={code} mono required />
      <HiddenFields fields={others} />
    </>
  );
}

/** Assignees of the file whom no member is named like: each becomes a member, or no one. */
export function PeopleTable({
  names,
  members,
  people,
}: {
  names: readonly string[];
  members: readonly string[];
  /** Whom each name became in an import that was refused. */
  people: Readonly<Record<string, string>>;
}) {
  if (names.length === 0) return null;
  return (
    <Table caption="Assignees" head={["Assignee in the file", "Becomes"]} stacked>
      {names.map((name) => (
        <tr key={name}>
          <Cell label="Assignee in the file">{name}</Cell>
          <Cell label="Becomes">
            <input type="hidden" name="person" value={name} />
            <select
              name="member"
              aria-label={`Who ${name} is`}
              defaultValue={people[name]}
              className="h-8 max-w-full rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
            >
              <option value="">Unassigned</option>
              {members.map((member) => (
                <option key={member} value={member}>
                  {member}
                </option>
              ))}
            </select>
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
