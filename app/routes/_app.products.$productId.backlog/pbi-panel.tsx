import { useFetcher } from "@remix-run/react";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ActionAnswer, ActionForm } from "~/components/action-form";
import { CodeChip } from "~/components/badge";
import { Button, SubmitButton } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { SelectField, TextAreaField, TextField } from "~/components/field";
import { countText } from "~/components/numbers";
import { priorityOptions } from "~/components/priority";
import { ServerForm, useServerForm } from "~/components/server-form";
import { SidePanel } from "~/components/side-panel";
import { StatusPill } from "~/components/status-pill";
import { WriteFields } from "~/components/write-access";

export interface PanelPbi {
  id: string;
  code: string;
  title: string;
  description: string;
  priority: number;
  status: string;
  pr_url: string | null;
  stories: readonly unknown[];
}

export function PbiPanel({
  pbi,
  pbis,
  closeTo,
}: {
  pbi: PanelPbi;
  pbis: readonly { id: string }[];
  closeTo: string;
}) {
  const fetcher = useFetcher<ActionAnswer>({ key: `edit-${pbi.id}` });
  const form = useServerForm<"title" | "description" | "priority" | "code">({
    lastResult: fetcher.data,
    defaultValue: {
      title: pbi.title,
      description: pbi.description,
      priority: String(pbi.priority),
      code: pbi.code,
    },
  });
  return (
    <SidePanel
      title={
        <>
          <CodeChip>{pbi.code}</CodeChip> {pbi.title}
        </>
      }
      closeTo={closeTo}
      footer={<PbiDangers pbi={pbi} />}
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
      <ServerForm form={form} fetcher={fetcher}>
        <WriteFields className="grid gap-4">
          <input type="hidden" name="intent" value="update-pbi" />
          <input type="hidden" name="pbi_id" value={pbi.id} />
          <TextField label="Title" required {...form.field("title")} />
          <TextAreaField label="Description" required={false} {...form.field("description")} />
          <div className="grid grid-cols-2 gap-3">
            <SelectField
              label="Priority"
              options={priorityOptions(pbi.priority)}
              {...form.field("priority")}
            />
            <TextField label="Code" mono {...form.field("code")} />
          </div>
          <div className="flex items-center gap-3">
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
              Save
            </SubmitButton>
          </div>
        </WriteFields>
      </ServerForm>
    </SidePanel>
  );
}

/** The order of PBIs by button, the equal way to dragging. */
function MoveButtons({ pbi, pbis }: { pbi: PanelPbi; pbis: readonly { id: string }[] }) {
  const at = pbis.findIndex(({ id }) => id === pbi.id);
  const before = pbis[at - 1];
  const after = pbis[at + 1];
  return (
    <WriteFields quiet>
      {before ? (
        <ActionForm>
          <input type="hidden" name="intent" value="move-pbi" />
          <input type="hidden" name="pbi_id" value={pbi.id} />
          <Button type="submit" size="sm" name="before_id" value={before.id}>
            <ArrowUp className="size-3.5" aria-hidden="true" /> Up
          </Button>
        </ActionForm>
      ) : null}
      {after ? (
        <ActionForm>
          <input type="hidden" name="intent" value="move-pbi" />
          <input type="hidden" name="pbi_id" value={pbi.id} />
          <Button type="submit" size="sm" name="after_id" value={after.id}>
            <ArrowDown className="size-3.5" aria-hidden="true" /> Down
          </Button>
        </ActionForm>
      ) : null}
      <ActionForm>
        <input type="hidden" name="intent" value="block-pbi" />
        <input type="hidden" name="pbi_id" value={pbi.id} />
        <Button
          type="submit"
          size="sm"
          name="status"
          value={pbi.status === "blocked" ? "ready" : "blocked"}
        >
          {pbi.status === "blocked" ? "Unblock" : "Block"}
        </Button>
      </ActionForm>
    </WriteFields>
  );
}

function PbiDangers({ pbi }: { pbi: PanelPbi }) {
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Delete PBI"
        question={`Delete ${pbi.code}?`}
        consequence={
          pbi.stories.length === 0
            ? "It has no stories. This cannot be taken back."
            : `${countText(pbi.stories.length, "story", "stories")} and all their tasks and logs go with it. This cannot be taken back.`
        }
        confirmLabel="Delete it"
      >
        {(buttons) => (
          <ActionForm>
            <input type="hidden" name="intent" value="delete-pbi" />
            <input type="hidden" name="pbi_id" value={pbi.id} />
            {buttons}
          </ActionForm>
        )}
      </Confirm>
    </WriteFields>
  );
}
