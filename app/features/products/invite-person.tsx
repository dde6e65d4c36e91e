import { useFetcher } from "@remix-run/react";
import type { Invitation } from "~/nouns/products/invitation";
import { type ActionResult, useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { useSent } from "~/ui/forms/use-sent";
import { WriteFields } from "~/ui/write-access";
import { invitedRoles, OpenInvitations } from "./invite";

/** Invites a person who has an account; they accept or decline. */
export function InvitePerson({ invitations }: { invitations: readonly Invitation[] }) {
  const fetcher = useFetcher<ActionResult>({ key: "invite person" });
  const withoutScript = useActionResult();
  const sent = useSent(fetcher);
  const form = useServerForm<"identifier">({
    lastResult: fetcher.data ?? withoutScript,
    id: `invite-person-${sent}`,
  });
  return (
    <Section
      title="Invite someone who has an account"
      about="They find the invitation in their inbox and join when they accept it. It expires after 7 days."
    >
      <div className="grid gap-4">
        <ServerForm key={sent} form={form} fetcher={fetcher}>
          <WriteFields className="flex flex-wrap items-end gap-3">
            <input type="hidden" name="intent" value="add" />
            <div className="min-w-56 flex-1">
              <TextField
                label="Username or email"
                required
                autoComplete="off"
                {...form.field("identifier")}
              />
            </div>
            <SelectField label="Role" name="role" id="person-role" options={invitedRoles} />
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Inviting…" size="lg">
              Invite by name
            </SubmitButton>
          </WriteFields>
        </ServerForm>
        <OpenInvitations invitations={invitations.filter(({ person }) => person !== null)} />
      </div>
    </Section>
  );
}
