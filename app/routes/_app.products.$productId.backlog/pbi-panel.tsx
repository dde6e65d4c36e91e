import { Comments } from "~/features/comments/comments";
import type { ShownComments } from "~/features/comments/shown-comment";
import { EditableText } from "~/features/in-place/editable-text";
import { PanelTitle } from "~/features/in-place/item-texts";
import { PriorityPicker } from "~/features/in-place/pickers";
import { PropertyList, TypedProperty } from "~/features/in-place/properties";
import { DeleteItem, goesAlong } from "~/features/items/delete-item";
import type { SafeHtml } from "~/features/markdown/prose";
import { PressForm } from "~/ui/action-form";
import { Icon } from "~/ui/icon";
import { SidePanel } from "~/ui/side-panel";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";

export interface PanelPbi {
  id: string;
  code: string;
  title: string;
  description: string;
  priority: number;
  status: string;
  pr_url: string | null;
  version?: number | undefined;
  stories: readonly unknown[];
}

export function PbiPanel({
  pbi,
  description,
  comments,
  isOwner,
  pbis,
  closeTo,
}: {
  pbi: PanelPbi;
  description: SafeHtml | null;
  comments: ShownComments;
  isOwner: boolean;
  pbis: readonly { id: string }[];
  closeTo: string;
}) {
  const fields = { intent: "update-pbi", pbi_id: pbi.id };
  return (
    <SidePanel
      title={<PanelTitle item={pbi} fields={fields} />}
      closeTo={closeTo}
      footer={<PbiDangers pbi={pbi} closeTo={closeTo} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={pbi.status} />
        <MoveButtons pbi={pbi} pbis={pbis} />
      </div>
      {pbi.pr_url ? (
        <p className="text-sm">
          Pull request:{" "}
          <a href={pbi.pr_url} rel="noreferrer" className="text-accent underline">
            {pbi.pr_url}
          </a>
        </p>
      ) : null}
      <EditableText
        label="Description"
        name="description"
        value={pbi.description}
        version={pbi.version}
        fields={fields}
        content={description}
        empty="Why is it needed?"
        files={{ product_id: comments.productId }}
        inPanel
      />
      <PropertyList>
        <PriorityPicker value={pbi.priority} fields={fields} />
        <TypedProperty label="Code" name="code" value={pbi.code} fields={fields} mono />
      </PropertyList>
      <Comments comments={comments} isOwner={isOwner} />
    </SidePanel>
  );
}

/** Alternative to dragging: moves a PBI up or down with buttons. */
function MoveButtons({ pbi, pbis }: { pbi: PanelPbi; pbis: readonly { id: string }[] }) {
  const at = pbis.findIndex(({ id }) => id === pbi.id);
  const before = pbis[at - 1];
  const after = pbis[at + 1];
  return (
    <WriteFields quiet>
      {before ? (
        <PressForm fields={{ intent: "move-pbi", pbi_id: pbi.id }} size="sm" name="before_id" value={before.id}>
          <Icon name="arrow-up" className="size-3.5" /> Up
        </PressForm>
      ) : null}
      {after ? (
        <PressForm fields={{ intent: "move-pbi", pbi_id: pbi.id }} size="sm" name="after_id" value={after.id}>
          <Icon name="arrow-down" className="size-3.5" /> Down
        </PressForm>
      ) : null}
      <PressForm
        fields={{ intent: "block-pbi", pbi_id: pbi.id }}
        size="sm"
        name="status"
        value={pbi.status === "blocked" ? "ready" : "blocked"}
      >
        {pbi.status === "blocked" ? "Unblock" : "Block"}
      </PressForm>
    </WriteFields>
  );
}

function PbiDangers({ pbi, closeTo }: { pbi: PanelPbi; closeTo: string }) {
  return (
    <WriteFields quiet>
      <DeleteItem
        noun="PBI"
        code={pbi.code}
        loss={goesAlong(pbi.stories.length, "story with its tasks", "stories with their tasks")}
        fields={{ intent: "delete-pbi", pbi_id: pbi.id }}
        panel={{ closeTo }}
      />
    </WriteFields>
  );
}
