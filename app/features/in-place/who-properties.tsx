import { Picker, TypedProperty } from "./properties";

interface Who {
  agent: string | null;
  model: string | null;
  effort: string | null;
}

const efforts = [
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

/** Agent, model and effort of a story or task; empty leaves each to its product or story. */
export function WhoProperties({
  who,
  above,
  fields,
}: {
  who: Who;
  above: "product" | "story";
  fields: Record<string, string>;
}) {
  const empty = `Same as ${above}`;
  return (
    <>
      <TypedProperty
        label="Agent"
        name="agent"
        value={who.agent ?? ""}
        fields={fields}
        empty={empty}
        placeholder="codex"
      />
      <TypedProperty
        label="Model"
        name="model"
        value={who.model ?? ""}
        fields={fields}
        empty={empty}
      />
      <Picker
        label="Effort"
        name="effort"
        value={who.effort ?? ""}
        fields={fields}
        options={[{ value: "", label: empty }, ...efforts]}
      />
    </>
  );
}
