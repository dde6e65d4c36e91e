import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { pageAction, pageLoader } from "~/http/page-guards.server";
import { listProducts } from "~/nouns/products/operations.server";
import {
  answerClient,
  giveAccess,
  offeredScopes,
  readAuthorizationRequest,
  refusalOf,
} from "~/oauth/authorization-request.server";
import { OAuthRefusal } from "~/oauth/refusal.server";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Button } from "~/ui/button";
import { CheckField, FormErrors } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { type Scope, scopeWords } from "~/wire/oauth/contract";

export { WholePageError as ErrorBoundary } from "~/ui/error-page";

/** A program requests access, and the user decides on products and scopes (docs/oauth.md). */
export const loader = pageLoader(async ({ request, context }) => {
  try {
    // More than one call: who asks is checked before anything is read.
    const { requested, actor, principal } = await readAuthorizationRequest(request, context);
    const { client, redirectUri, audience } = requested;
    const products = await listProducts(actor);
    return json({
      refusal: null,
      client,
      returnsTo: hostOf(redirectUri),
      resource: `${context.origin}${audience}`,
      username: principal.username,
      isDemo: principal.is_demo,
      scopes: offeredScopes(requested, principal),
      products: products.map(({ id, code, name }) => ({ id, code, name })),
      chosenProductId: principal.active_product_id ?? products[0]?.id ?? null,
    });
  } catch (error) {
    return refuseOnPage(error);
  }
});

export const action = pageAction(async ({ request, context }) => {
  try {
    const { requested, principal } = await readAuthorizationRequest(request, context);
    const form = await request.formData();
    if (form.get("decision") !== "allow") {
      return answerClient(context, requested, refusalOf("access_denied", "The person said no."));
    }
    return await giveAccess(context, principal, requested, {
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
function hostOf(redirectUri: string): string {
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

interface ConsentFormProps {
  client: { id: string; name: string; source: "document" | "pinned" | "registered"; pinnedOn?: string };
  returnsTo: string;
  resource: string;
  isDemo: boolean;
  scopes: readonly Scope[];
  products: readonly { id: string; code: string; name: string }[];
  chosenProductId: string | null;
  error: string | null;
}

/** A native form, even with JavaScript: it redirects to another program, which our script could not follow. */
function ConsentForm({
  client,
  returnsTo,
  resource,
  isDemo,
  scopes,
  products,
  chosenProductId,
  error,
}: ConsentFormProps) {
  return (
    <form method="post" className="grid gap-5">
      <FormErrors errors={error ? [error] : []} />
      <WhoAsks client={client} returnsTo={returnsTo} />
      {products.length === 0 ? (
        <Alert title="You have no product yet">
          <Link to="/products/new" className="text-accent underline">
            Create a product
          </Link>{" "}
          first, then connect the app again.
        </Alert>
      ) : (
        <fieldset className="grid gap-2.5">
          <legend className="mb-2 text-sm font-semibold">Products</legend>
          {products.map(({ id, code, name }) => (
            <CheckField
              key={id}
              name="product"
              value={id}
              label={`${isolated(name)} (${code})`}
              defaultChecked={id === chosenProductId}
            />
          ))}
        </fieldset>
      )}
      <fieldset className="grid gap-2.5">
        <legend className="mb-2 text-sm font-semibold">What it can do there</legend>
        {scopes.map((scope) => (
          <CheckField
            key={scope}
            name="scope"
            value={scope}
            label={scopeWords[scope].title}
            description={scopeWords[scope].about}
            defaultChecked
          />
        ))}
        {isDemo ? <p className="text-xs text-muted">A demo account can allow reading only.</p> : null}
      </fieldset>
      <p className="text-xs text-muted">
        For <span className="wrap-anywhere">{resource}</span>. You can revoke this at any time under Settings, Devices.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          name="decision"
          value="allow"
          tone="primary"
          size="lg"
          disabled={products.length === 0 || scopes.length === 0}
        >
          Allow
        </Button>
        <Button type="submit" name="decision" value="deny" size="lg">
          Deny
        </Button>
      </div>
    </form>
  );
}

/** How far the program's name can be trusted, and where the browser goes next. */
function WhoAsks({ client, returnsTo }: Pick<ConsentFormProps, "client" | "returnsTo">) {
  return (
    <div className="grid gap-1 text-sm text-muted">
      {client.source === "registered" ? (
        <p>
          The app chose the name “<bdi>{client.name}</bdi>” itself. Allow it only if you have just connected it.
        </p>
      ) : (
        <p>
          Described by <span className="wrap-anywhere text-ink">{client.id}</span>
          {client.source === "pinned"
            ? `, from the pinned copy of ${client.pinnedOn ?? "this release"}: the address itself did not answer.`
            : "."}
        </p>
      )}
      <p>
        You return to <strong className="wrap-anywhere text-ink">{returnsTo}</strong>.
      </p>
    </div>
  );
}
