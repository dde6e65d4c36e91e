import { Form, useFetcher } from "@remix-run/react";
import type { Invitation } from "~/nouns/products/invitation";
import { WritePress } from "~/ui/action-form";
import { type ActionResult, useActionResult, useSent } from "~/ui/action-result";
import { Badge } from "~/ui/badge";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CopyBlock } from "~/ui/copy-button";
import { HiddenFields, SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

const invitedRoles = [
  { value: "member", label: "Member" },
  { value: "viewer", label: "Viewer" },
];

/** Creates a single-use invitation link, and lists the unused ones. */
export function Invite({ invitations }: { invitations: readonly Invitation[] }) {
  const made = useActionResult<{ link?: unknown }>();
  return (
    <Section
      title="Invite with a link"
      about="The first person who opens the link can join with the role you choose. It works once, for 7 days. Send it by message or mail."
    >
      <div className="grid gap-4">
        {typeof made?.link === "string" ? (
          <CopyBlock label="Invitation link (shown only once)" text={made.link} />
        ) : null}
        <Form method="post">
          <WriteFields className="flex flex-wrap items-end gap-3">
            <HiddenFields fields={{ intent: "invite" }} />
            <SelectField label="Role" name="role" id="invitation-role" options={invitedRoles} />
            <SubmitButton pendingLabel="Creating…" size="lg">
              Invite
            </SubmitButton>
          </WriteFields>
        </Form>
        <OpenInvitations invitations={invitations.filter(({ person }) => person === null)} />
      </div>
    </Section>
  );
}

function OpenInvitations({ invitations }: { invitations: readonly Invitation[] }) {
  if (invitations.length === 0) return null;
  return (
    <ul aria-label="Open invitations" className="divide-y divide-line">
      {invitations.map((invitation) => (
        <OpenInvitation key={invitation.id} invitation={invitation} />
      ))}
    </ul>
  );
}

function OpenInvitation({ invitation }: { invitation: Invitation }) {
  const { id, role, person, created_at, expires_at } = invitation;
  return (
    <li className="flex flex-wrap items-center gap-3 py-2 text-sm">
      <Badge>{role === "VIEWER" ? "viewer" : "member"}</Badge>
      <span className="min-w-0 flex-1 text-muted">
        {person ? <span className="font-medium text-ink">{person} </span> : null}
        created <RelativeTime at={created_at} />, expires <RelativeTime at={expires_at} />
      </span>
      <WritePress
        fields={{ intent: "revoke-invitation", invitation_id: id }}
        size="sm"
        aria-label={person ? `Revoke the invitation of ${person}` : undefined}
      >
        Revoke
      </WritePress>
    </li>
  );
}

/** Invites a person who has an account; they accept or decline. */
export function InvitePerson({ invitations }: { invitations: readonly Invitation[] }) {
  const fetcher = useFetcher<ActionResult>({ key: "invite person" });
  const withoutScript = useActionResult();
  const sent = useSent(fetcher);
  const form = useServerForm<"identifier" | "role">({
    lastResult: fetcher.data ?? withoutScript,
    defaultValue: { role: "member" },
    id: `invite-person-${sent}`,
  });
  return (
    <Section
      title="Invite someone who has an account"
      about="They find the invitation in their inbox and join when they accept it. It expires after 7 days."
    >
      <div className="grid gap-4">
        <ServerForm key={sent} form={form} fetcher={fetcher}>
          <WriteFields className="flex flex-wrap items-start gap-3">
            <input type="hidden" name="intent" value="add" />
            <div className="min-w-56 flex-1">
              <TextField label="Username or email" required autoComplete="off" {...form.field("identifier")} />
            </div>
            <SelectField label="Role" options={invitedRoles} {...form.field("role")} />
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Inviting…" size="lg" className="mt-6">
              Invite by name
            </SubmitButton>
          </WriteFields>
        </ServerForm>
        <OpenInvitations invitations={invitations.filter(({ person }) => person !== null)} />
      </div>
    </Section>
  );
}
