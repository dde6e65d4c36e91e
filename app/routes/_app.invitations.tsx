import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AnswerForms } from "~/features/products/answer-forms";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { invitationIdInput, type OwnInvitation } from "~/nouns/products/invitation";
import { answerInvitation, listOwnInvitations } from "~/nouns/products/invitations.server";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/rare/page-header";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  return json(await listOwnInvitations(actor));
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  const answer = (accept: boolean) =>
    answerInvitation(actor, { ...readForm(form, invitationIdInput), accept });
  return runIntent(form, {
    accept: async () => {
      const { product_id } = await answer(true);
      return redirect(`/products/${product_id}/backlog`, 303);
    },
    decline: async () => {
      await answer(false);
      return done(form, "/invitations", "Invitation declined");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Invitations · Backloom" }];

export default function InvitationsPage() {
  const { invitations } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Invitations" lead="Products you are invited to." />
      {invitations.length === 0 ? (
        <EmptyState title="No invitations">
          When the owner of a product invites you, you accept or decline here.
        </EmptyState>
      ) : (
        <ul className="grid gap-4">
          {invitations.map((invitation) => (
            <Invited key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Invited({ invitation }: { invitation: OwnInvitation }) {
  const { id, product_name, role, invited_by, expires_at } = invitation;
  return (
    <li className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="grid gap-1">
        <h2 className="text-base font-medium">{product_name}</h2>
        <p className="text-sm text-muted">
          {invited_by ?? "Somebody"} invites you as a {role === "VIEWER" ? "viewer" : "member"}. The
          invitation expires <RelativeTime at={expires_at} />.
        </p>
      </div>
      <WriteFields quiet>
        <AnswerForms id={id} product={product_name} />
      </WriteFields>
    </li>
  );
}
