import { SelectField, TextField } from "~/ui/field";
import type { ServerFormHandle } from "~/ui/forms/server-form";

type Name = "agent" | "model" | "effort" | "fallback" | "fallback_after";
type Field = (name: Name) => ReturnType<ServerFormHandle<Name>["field"]>;

const effortOptions = [
  { value: "", label: "As the agent does by itself" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

/** Who does its tasks; stories and tasks may name others. */
export function WhoFields({ field }: { field: Field }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Agent"
          description="Such as claude or codex. Only workers that have it get the jobs."
          required={false}
          {...field("agent")}
        />
        <TextField label="Model" required={false} {...field("model")} />
        <SelectField label="Effort" {...field("effort")} options={effortOptions} />
      </div>
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <TextField
          label="Next agents"
          description="In their order, with commas. The next one continues when an agent fails or its limit is far."
          required={false}
          {...field("fallback")}
        />
        <TextField
          label="Far is after minutes"
          inputMode="numeric"
          required
          {...field("fallback_after")}
        />
      </div>
    </>
  );
}
