import { Picker, TypedProperty } from "./properties";

interface Who {
  agent: string | null;
  model: string | null;
  effort: string | null;
}

const effortOptions = [
  { value: "", label: "As above" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

/** Agent, model and effort of a story or task; empty leaves each to what is above it. */
export function WhoProperties({ who, fields }: { who: Who; fields: Record<string, string> }) {
  return (
    <>
      <TypedProperty
        label="Agent"
        name="agent"
        value={who.agent ?? ""}
        fields={fields}
        empty="As above"
        placeholder="codex"
      />
      <TypedProperty
        label="Model"
        name="model"
        value={who.model ?? ""}
        fields={fields}
        empty="As above"
      />
      <Picker
        label="Effort"
        name="effort"
        value={who.effort ?? ""}
        fields={fields}
        options={effortOptions}
      />
    </>
  );
}
