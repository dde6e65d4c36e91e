import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Invite, InvitePerson } from "~/features/products/invite";
import { done, readForm, runForm, runIntent, runOperation, textOf } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { createInvitationInput, invitationIdInput, invitePersonInput } from "~/nouns/products/invitation";
import { createInvitation, invitePerson, listInvitations, revokeInvitation } from "~/nouns/products/invitations.server";
import {
  allowMyWorkers,
  leaveProduct,
  listProductMembers,
  removeProductMember,
  setMemberRole,
} from "~/nouns/products/operations.server";
import { WriteForm, WritePress } from "~/ui/action-form";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { PageHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { type ProductMember, setMemberRoleInput } from "~/wire/products/contract";

export const loader = productLoader(async ({ actor, principal, productId }) => {
  // More than one call: only the owner may list invitations.
  const members = await listProductMembers(actor, { product_id: productId });
  const isOwner = members.some(({ user_id, role }) => user_id === principal.user_id && role === "OWNER");
  const { invitations } = isOwner ? await listInvitations(actor, { product_id: productId }) : { invitations: [] };
  return json({ productId, userId: principal.user_id, isOwner, members, invitations });
});

export const action = productAction(async ({ actor, productId, form, context }) => {
  const back = `/products/${productId}/members`;
  form.set("product_id", productId);
  return runIntent(form, {
    add: () =>
      runForm(form, invitePersonInput, async (input) => {
        const { username, asked } = await invitePerson(actor, input);
        return done(form, back, asked ? `${username} is invited` : `${username} is a member now`);
      }),
    invite: async () => {
      const { code } = await createInvitation(actor, readForm(form, createInvitationInput));
      return json({ ok: true, link: `${context.services.env.appOrigin}/join/${code}` });
    },
    "revoke-invitation": async () => {
      form.delete("product_id");
      await revokeInvitation(actor, readForm(form, invitationIdInput));
      return done(form, back, "Invitation revoked");
    },
    remove: () => runOperation(actor, form, removeProductMember, back, "Removed"),
    role: async () => {
      const member = await setMemberRole(actor, readForm(form, setMemberRoleInput));
      return done(form, back, `${member.username} is a ${roleNames[member.role]} now`);
    },
    "allow-workers": async () => {
      const allowed = textOf(form, "allowed") === "yes";
      await allowMyWorkers(actor, { product_id: productId, allowed });
      return done(
        form,
        back,
        allowed ? "Your workers can run jobs of this product" : "Your workers do not run jobs of this product",
      );
    },
    leave: async () => {
      await leaveProduct(actor, { product_id: productId });
      return redirect("/dashboard", 303);
    },
  });
});

const roleNames = { OWNER: "owner", MEMBER: "member", VIEWER: "viewer" } as const;

export const meta: MetaFunction = () => [{ title: "Members · Backloom" }];

export default function MembersPage() {
  const { productId, userId, isOwner, members, invitations } = useLoaderData<typeof loader>();
  useLiveRevalidation({ stream: "backlog", productId });
  const own = members.find(({ user_id }) => user_id === userId);
  return (
    <div className="grid max-w-2xl gap-5">
      <PageHeader title="Members" />
      <Section
        title="People"
        about="Members can see and change everything in this product. Viewers can see everything and comment. Only the owner can add or remove people and change roles."
        flush
      >
        <ul className="divide-y divide-line">
          {members.map((member) => (
            <li key={member.user_id} className="flex flex-wrap items-center gap-3 px-4 py-2.5 text-sm">
              <Avatar name={member.username} />
              <span className="min-w-40 flex-1">
                <span className="mr-1.5 font-medium break-words">{member.username}</span>
                {member.role === "MEMBER" ? null : (
                  <Badge tone={member.role === "OWNER" ? "accent" : undefined}>{roleNames[member.role]}</Badge>
                )}
                <span className="block text-xs text-muted">
                  Joined <RelativeTime at={member.created_at} />
                </span>
              </span>
              {member.role === "OWNER" ? null : (
                <span className="flex gap-2">
                  {isOwner ? <ChangeRole member={member} /> : null}
                  <RemoveOrLeave member={member} self={member.user_id === userId} isOwner={isOwner} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </Section>
      {isOwner ? <Invite invitations={invitations} /> : null}
      {isOwner ? <InvitePerson invitations={invitations} /> : null}
      {own?.role === "MEMBER" ? <MyWorkers allowed={own.workers_allowed} /> : null}
    </div>
  );
}

/** Each member opts in: being added to a product must not put anyone's machine to work. */
function MyWorkers({ allowed }: { allowed: boolean }) {
  return (
    <Section
      title="Allow my workers"
      about="When this is on, any member can have jobs run on your machine: your worker carries out the tasks of this product with the code of its repository, within the limits of --allow and the sandbox. When this is off, your workers run its jobs only if you start them with --product."
    >
      <WriteForm fields={{ intent: "allow-workers" }} className="flex flex-wrap items-center gap-3 text-sm">
        <Badge tone={allowed ? "accent" : undefined}>{allowed ? "On" : "Off"}</Badge>
        <Button type="submit" name="allowed" value={allowed ? "no" : "yes"}>
          {allowed ? "Turn off" : "Allow my workers"}
        </Button>
      </WriteForm>
    </Section>
  );
}

function ChangeRole({ member }: { member: ProductMember }) {
  if (member.role === "VIEWER") {
    return (
      <WritePress
        fields={{ intent: "role", user_id: member.user_id, role: "member" }}
        size="sm"
        aria-label={`Make ${member.username} a member`}
      >
        Make member
      </WritePress>
    );
  }
  return (
    <WriteFields quiet>
      <Confirm
        size="sm"
        trigger="Make viewer"
        label={`Make ${member.username} a viewer`}
        question={`Make ${member.username} a viewer?`}
        consequence="Viewers see everything and comment, but change nothing. Their stories become unassigned, their workers get no more jobs here, and their tokens can only read."
        confirmLabel="Make viewer"
        fields={{ intent: "role", user_id: member.user_id, role: "viewer" }}
      />
    </WriteFields>
  );
}

function RemoveOrLeave({ member, self, isOwner }: { member: ProductMember; self: boolean; isOwner: boolean }) {
  if (!self && !isOwner) return null;
  const form = (
    <Confirm
      size="sm"
      trigger={self ? "Leave" : "Remove"}
      label={self ? "Leave this product" : `Remove ${member.username}`}
      question={self ? "Leave this product?" : `Remove ${member.username}?`}
      consequence="Open pages and agents lose access immediately."
      confirmLabel={self ? "Leave" : "Remove"}
      fields={{ intent: self ? "leave" : "remove", user_id: member.user_id }}
    />
  );
  // Viewers change nothing here, but may leave.
  return self && member.role === "VIEWER" ? form : <WriteFields quiet>{form}</WriteFields>;
}
