import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { providerOf } from "~/features/accounts/oidc-departure.server";
import { ProviderLink } from "~/features/accounts/provider";
import { findActor, pageAction, pageLoader, requireWriter } from "~/http/page-guards.server";
import { findInvitation, hashInvitationCode, joinProduct } from "~/nouns/products/invitations.server";
import { PageRefusal } from "~/ui/action-form";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { RelativeTime } from "~/ui/relative-time";
import { ContractError } from "~/wire/errors";

/** Shows who invites to what. Opening the link, or a mail program fetching it, accepts nothing. */
export const loader = pageLoader(async ({ request, context, params }) => {
  const { database, env } = context.services;
  const found = await findActor(request, context);
  const answer = {
    username: found?.principal.username ?? null,
    mayRegister: env.registration !== "closed",
    provider: providerOf(context),
    here: new URL(request.url).pathname,
  };
  try {
    const code_hash = hashInvitationCode(params.code ?? "");
    return json({ ...answer, invitation: await findInvitation(database, { code_hash }), gone: null });
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return json({ ...answer, invitation: null, gone: error.message }, error.status);
  }
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const code_hash = hashInvitationCode(params.code ?? "");
  const { product_id } = await joinProduct(actor, { code_hash });
  return redirect(`/products/${product_id}/backlog`, 303);
});

export const meta: MetaFunction = () => [{ title: "Invitation · Backloom" }, { name: "robots", content: "noindex" }];

const roleTexts = {
  OWNER: "the owner",
  MEMBER: "a member, who sees and changes everything",
  VIEWER: "a viewer, who sees everything and comments",
} as const;

export default function JoinPage() {
  const { invitation, gone, username, mayRegister, provider, here } = useLoaderData<typeof loader>();
  if (!invitation) {
    return (
      <AuthFrame title="This invitation cannot be used" lead={gone}>
        <ButtonLink to="/dashboard">{username ? "Dashboard" : "Sign in"}</ButtonLink>
      </AuthFrame>
    );
  }
  const { product_name, invited_by, role, expires_at } = invitation;
  return (
    <AuthFrame
      title={`Join ${product_name}`}
      lead={
        <>
          {invited_by} invites you to <bdi>{product_name}</bdi> as {roleTexts[role]}. The invitation is for one person
          and expires <RelativeTime at={expires_at} />.
        </>
      }
    >
      <PageRefusal />
      {username ? (
        <Form method="post" className="grid gap-3">
          <p className="text-sm">
            You are signed in as <strong className="font-semibold">{username}</strong>.
          </p>
          <SubmitButton size="lg" pendingLabel="Joining…">
            {`Join ${product_name}`}
          </SubmitButton>
        </Form>
      ) : (
        <WaysIn here={here} mayRegister={mayRegister} provider={provider} />
      )}
    </AuthFrame>
  );
}

/** Sign in or register; both return here, or go straight to the product. */
function WaysIn({ here, mayRegister, provider }: { here: string; mayRegister: boolean; provider: string | null }) {
  const back = `?redirectTo=${encodeURIComponent(here)}`;
  return (
    <div className="grid gap-3">
      {provider ? <ProviderLink provider={provider} redirectTo={here} /> : null}
      <ButtonLink to={`/login${back}`} tone={mayRegister ? undefined : "primary"} size="lg">
        Sign in to join
      </ButtonLink>
      {mayRegister ? (
        <ButtonLink to={`/register${back}`} tone="primary" size="lg">
          Create an account and join
        </ButtonLink>
      ) : (
        <p className="text-sm text-muted">
          Registration is closed. Ask an administrator for an account, then open this link again.
        </p>
      )}
    </div>
  );
}
