import { SelectField, TextField } from "~/ui/field";
import type { ServerFormHandle } from "~/ui/forms/server-form";

type Name = "agent" | "model" | "effort" | "fallback" | "fallback_after";
type Field = (name: Name) => ReturnType<ServerFormHandle<Name>["field"]>;

const effortOptions = [
  { value: "", label: "Default of the agent" },
  { value: "low", label: "Low" },
  { value: "medium", label: "Medium" },
  { value: "high", label: "High" },
];

/** Who does its tasks; stories and tasks may name others. */
export function WhoFields({ field }: { field: Field }) {
  return (
    <>
      <TextField
        label="Agent"
        description="Such as claude or codex. Only workers that have it get the jobs."
        required={false}
        {...field("agent")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Model" required={false} {...field("model")} />
        <SelectField label="Effort" {...field("effort")} options={effortOptions} />
      </div>
      <TextField
        label="Next agents"
        description="In order, separated by commas. The next one continues when an agent fails or is at its limit for too long."
        required={false}
        {...field("fallback")}
      />
      <TextField
        label="Longest wait for a limit (minutes)"
        description="The next agent takes over if the limit of an agent ends later than this."
        inputMode="numeric"
        required
        {...field("fallback_after")}
      />
    </>
  );
}
