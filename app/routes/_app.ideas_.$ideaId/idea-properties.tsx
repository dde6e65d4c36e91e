import type { Idea } from "~/contract/idea";
import { Picker, Properties } from "~/features/in-place/properties";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";

const steps = ["draft", "discussing", "ready"] as const;
const labels = { draft: "Draft", discussing: "Discussing", ready: "Ready" } as const;

export function IdeaProperties({
  idea,
  products,
}: {
  idea: Idea;
  products: readonly { id: string; name: string }[];
}) {
  const update = { intent: "update", idea_id: idea.id };
  const at = idea.status === "planned" ? -1 : steps.indexOf(idea.status);
  return (
    <Properties footer={<ArchiveIdea isArchived={idea.archived_at !== null} />}>
      {at === -1 ? null : (
        <Picker
          label="Status"
          name="status"
          value={idea.status}
          fields={update}
          options={steps.map((step, index) => ({
            value: step,
            label: labels[step],
            // It moves forward only.
            disabled: index < at,
          }))}
        />
      )}
      <Picker
        label="Product"
        name="product_id"
        value={idea.product_id}
        fields={update}
        options={products.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Properties>
  );
}

function ArchiveIdea({ isArchived }: { isArchived: boolean }) {
  return (
    <ActionForm>
      <Button type="submit" size="sm" name="intent" value={isArchived ? "restore" : "archive"}>
        {isArchived ? "Restore" : "Archive"}
      </Button>
    </ActionForm>
  );
}
