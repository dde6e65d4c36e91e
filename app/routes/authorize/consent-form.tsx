import { Link } from "@remix-run/react";
import { type Scope, scopeWords } from "~/nouns/oauth/contract";
import { Alert } from "~/ui/alert";
import { Button } from "~/ui/button";
import { CheckField, FormErrors } from "~/ui/field";
import { isolated } from "~/ui/isolated";

interface ConsentFormProps {
  client: {
    id: string;
    name: string;
    source: "document" | "pinned" | "registered";
    pinnedOn?: string;
  };
  returnsTo: string;
  resource: string;
  isDemo: boolean;
  scopes: readonly Scope[];
  products: readonly { id: string; code: string; name: string }[];
  chosenProductId: string | null;
  error: string | null;
}

/** A native form, even with JavaScript: it redirects to another program, which our script could not follow. */
export function ConsentForm({
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
        {isDemo ? (
          <p className="text-xs text-muted">A demo account can allow reading only.</p>
        ) : null}
      </fieldset>
      <p className="text-xs text-muted">
        For <span className="break-all">{resource}</span>. You can revoke this at any time under
        Settings, Devices.
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
          The app chose the name “<bdi>{client.name}</bdi>” itself. Allow it only if you have just
          connected it.
        </p>
      ) : (
        <p>
          Described by <span className="break-all text-ink">{client.id}</span>
          {client.source === "pinned"
            ? `, from the pinned copy of ${client.pinnedOn ?? "this release"}: the address itself did not answer.`
            : "."}
        </p>
      )}
      <p>
        You return to <strong className="break-all text-ink">{returnsTo}</strong>.
      </p>
    </div>
  );
}
