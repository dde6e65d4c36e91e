import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { pageAction, pageLoader } from "~/http/page-guards.server";
import { listProducts } from "~/nouns/products/operations.server";
import {
  answerClient,
  readAuthorizationRequest,
  refusalOf,
} from "~/oauth/authorization-request.server";
import { giveAccess, offeredScopes } from "~/oauth/give-access.server";
import { OAuthRefusal } from "~/oauth/refusal.server";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { RouteError } from "~/ui/error-page";
import { isolated } from "~/ui/isolated";
import { ConsentForm } from "./consent-form";

/** A program requests access, and the user decides on products and scopes (docs/oauth.md). */
export const loader = pageLoader(async ({ request, context }) => {
  try {
    const { asked, actor, principal } = await readAuthorizationRequest(request, context);
    const { client, redirectUri, audience } = asked;
    const products = await listProducts(actor);
    return json({
      refusal: null,
      client,
      returnsTo: placeOf(redirectUri),
      resource: `${context.origin}${audience}`,
      username: principal.username,
      isDemo: principal.is_demo,
      scopes: offeredScopes(asked, principal),
      products: products.map(({ id, code, name }) => ({ id, code, name })),
      chosenProductId: principal.active_product_id ?? products[0]?.id ?? null,
    });
  } catch (error) {
    return refuseOnPage(error);
  }
});

export const action = pageAction(async ({ request, context }) => {
  try {
    const { asked, principal } = await readAuthorizationRequest(request, context);
    const form = await request.formData();
    if (form.get("decision") !== "allow") {
      return answerClient(context, asked, refusalOf("access_denied", "The person said no."));
    }
    return await giveAccess(context, principal, asked, {
      scopes: form.getAll("scope").map(String),
      productIds: form.getAll("product").map(String),
    });
  } catch (error) {
    return refuseOnPage(error);
  }
});

/** Shows refusals that must not redirect: the client or the redirect address is unknown. */
function refuseOnPage(error: unknown) {
  if (!(error instanceof OAuthRefusal)) throw error;
  const { code, message } = error;
  return json({ refusal: { code, message } }, { status: code === "invalid_client" ? 401 : 400 });
}

/** Returns where the browser goes afterwards, in a form people recognize. */
function placeOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `${protocol}//${host}`;
}

export const meta: MetaFunction = () => [{ title: "Allow access · Backloom" }];

export default function AuthorizePage() {
  const data = useLoaderData<typeof loader>();
  const answer = useActionResult<{ error?: string }>();
  if (data.refusal) {
    return (
      <AuthFrame title="This app cannot sign in">
        <Alert tone="failed" role="alert" title={data.refusal.code}>
          {data.refusal.message}
        </Alert>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      title={`Allow ${isolated(data.client.name)} to use Backloom?`}
      lead={`You are signed in as ${data.username}.`}
    >
      <ConsentForm {...data} error={answer?.error ?? null} />
    </AuthFrame>
  );
}

export function ErrorBoundary() {
  return (
    <main>
      <RouteError />
    </main>
  );
}
