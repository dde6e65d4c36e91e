import { useState } from "react";
import { Button, ButtonLink, IconButton, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { Dialog } from "~/ui/dialog";
import { Icon } from "~/ui/icon";
import { Menu, MenuButton, MenuDivider, MenuHeading, MenuLink } from "~/ui/menu";
import { NavTabs } from "~/ui/tabs";
import { showToast } from "~/ui/toast";

const tones = ["primary", "plain", "quiet", "danger"] as const;
const sizes = ["sm", "md", "lg"] as const;

export function ControlSamples() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Section title="Buttons">
        <div className="grid gap-3">
          {sizes.map((size) => (
            <div key={size} className="flex flex-wrap items-center gap-2">
              {tones.map((tone) => (
                <Button key={tone} tone={tone} size={size}>
                  {tone} {size}
                </Button>
              ))}
              <Button size={size} disabled>
                disabled
              </Button>
              <SubmitButton size={size} pending pendingLabel="Saving…">
                Save
              </SubmitButton>
              <IconButton label="Delete">
                <Icon name="trash" />
              </IconButton>
              <ButtonLink size={size} to="/dev/components">
                Link
              </ButtonLink>
            </div>
          ))}
        </div>
      </Section>
      <Section title="Menu, confirmation, dialog, toast">
        <div className="flex flex-wrap gap-2">
          <Menu label="Move to" trigger="Move to…">
            <MenuHeading>Status</MenuHeading>
            <MenuButton type="button">In progress</MenuButton>
            <MenuButton type="button">Review</MenuButton>
            <MenuDivider />
            <MenuLink to="/dev/components">Open</MenuLink>
            <MenuButton type="button" danger>
              Delete
            </MenuButton>
          </Menu>
          <Confirm
            trigger="Delete PBI"
            question="Delete PBI-3?"
            consequence="Its 4 stories and 12 tasks go with it."
            confirmLabel="Delete all 17"
          >
            {(buttons) => <div>{buttons}</div>}
          </Confirm>
          <Button onClick={() => setOpen(true)}>Dialog</Button>
          <Button onClick={() => showToast("Story ST-012 is in SP-3")}>Toast</Button>
          <Button
            onClick={() => showToast("T-4 is claimed by a worker; pause the run first.", "failed")}
          >
            Refusal
          </Button>
        </div>
        <Dialog title="A dialog" open={open} onClose={() => setOpen(false)}>
          <p className="p-4">It keeps the focus until it closes.</p>
        </Dialog>
      </Section>
      <Section title="Tabs and copying">
        <NavTabs
          label="Sample pages"
          tabs={[
            { to: "/dev/components", label: "Backlog" },
            { to: "/dev/other", label: "Sprints" },
          ]}
        />
        <CopyBlock
          label="Terminal"
          text="curl -H 'Authorization: Bearer …' http://127.0.0.1:3000/api/products"
        />
      </Section>
    </>
  );
}
