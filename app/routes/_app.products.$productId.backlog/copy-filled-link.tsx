import { CopyButton } from "~/components/copy-button";
import { filledFields } from "./panel-parameters";

const parents = { pbi_id: "pbi", story_id: "story" } as const;

/** The form as it is filled in, as an address: whoever opens it has it before them, and nothing is created yet. */
export function CopyFilledLink({ panel }: { panel: string }) {
  return (
    <CopyButton
      tone="quiet"
      label="Copy link with these values"
      text={(button) => addressOf(panel, new FormData(button.form ?? undefined))}
    />
  );
}

function addressOf(panel: string, values: FormData): string {
  const params = new URLSearchParams({ panel });
  const add = (name: string, value: FormDataEntryValue | null) => {
    if (typeof value === "string" && value !== "") params.set(name, value);
  };
  for (const [field, name] of Object.entries(parents)) add(name, values.get(field));
  for (const name of filledFields) add(name, values.get(name));
  return `${location.origin}${location.pathname}?${params}`;
}
