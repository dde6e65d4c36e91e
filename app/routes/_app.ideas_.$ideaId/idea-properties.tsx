import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Picker, Properties } from "~/components/in-place/properties";
import type { Idea } from "~/contract/idea";

const steps = ["draft", "discussing", "ready"] as const;
const labels = { draft: "Draft", discussing: "Being discussed", ready: "Ready" } as const;

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
          label="State"
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
        {isArchived ? "Take it out of the archive" : "Archive"}
      </Button>
    </ActionForm>
  );
}
