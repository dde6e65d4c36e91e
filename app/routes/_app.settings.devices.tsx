import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { describeBrowser } from "~/features/accounts/describe-browser";
import { done, runIntent, textOf } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { listSessions, revokeOtherSessions, revokeSession } from "~/nouns/accounts/operations.server";
import { revokeApiToken } from "~/nouns/api-tokens/operations.server";
import { listGrants } from "~/nouns/oauth/operations.server";
import { WritePress } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { EmptyState } from "~/ui/empty-state";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { useWriteAccess } from "~/ui/write-access";
import type { Session } from "~/wire/accounts/contract";
import { canonicalId } from "~/wire/canonical-id";
import { type Grant, scopes, scopeWords } from "~/wire/oauth/contract";

const here = "/settings/devices";

/** Where the account is signed in and which programs use it, with ways to end either. */
export const loader = personLoader(async ({ actor }) => {
  // More than one call: sessions and programs are of two nouns with nothing in common.
  const [sessions, grants] = await Promise.all([listSessions(actor), listGrants(actor)]);
  return json({ sessions, grants });
});

export const action = writeAction(async ({ actor, form }) =>
  runIntent(form, {
    end: async () => {
      await revokeSession(actor, { session_id: canonicalId(textOf(form, "session_id")) });
      return done(form, here, "Device signed out");
    },
    revoke: async () => {
      await revokeApiToken(actor, { token_id: canonicalId(textOf(form, "token_id")) });
      return done(form, here, "Access revoked");
    },
    "end-others": async () => {
      const { ended: count } = await revokeOtherSessions(actor);
      return done(form, here, count === 1 ? "1 device signed out" : `${count} devices signed out`);
    },
  }),
);

export const meta: MetaFunction = () => [{ title: "Devices · Backloom" }];

export default function DevicesPage() {
  const { sessions, grants } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-4xl gap-5">
      <Section
        title="Signed-in devices"
        about="Signing out takes effect at the next request. Open live pages close automatically."
        actions={
          <WritePress fields={{ intent: "end-others" }} disabled={sessions.length < 2}>
            Sign out all other devices
          </WritePress>
        }
        flush
      >
        <Table stacked caption="Signed-in devices" head={["Device", "Address", "Last seen", "Expires", ""]}>
          {sessions.map((session) => (
            <DeviceRow key={session.id} session={session} />
          ))}
        </Table>
      </Section>
      <GrantList grants={grants} />
    </div>
  );
}

function DeviceRow({ session }: { session: Session }) {
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {describeBrowser(session.user_agent)}
          {session.is_current ? <Badge tone="accent">this device</Badge> : null}
          {session.paired ? <Badge tone="waiting">by phone</Badge> : null}
        </span>
      </Cell>
      <Cell label="Address">{session.ip ?? "Unknown"}</Cell>
      <Cell label="Last seen">
        <RelativeTime at={session.last_seen_at} />
      </Cell>
      <Cell label="Expires">
        <RelativeTime at={session.paired_expires_at ?? session.expires_at} />
      </Cell>
      <Cell className="sm:text-end">
        {session.is_current ? null : (
          <WritePress fields={{ intent: "end", session_id: session.id }} size="sm">
            Sign out
          </WritePress>
        )}
      </Cell>
    </tr>
  );
}

/** Lists the programs and tokens that may use the account, with their scope and dates, and a way to revoke each. */
function GrantList({ grants }: { grants: readonly Grant[] }) {
  return (
    <Section
      title="Programs with access"
      about="Programs that you allowed when they asked, and your API tokens. Revoking takes effect at once."
      flush={grants.length > 0}
    >
      {grants.length === 0 ? (
        <EmptyState title="No app has access" compact>
          Connect shows how to add one.
        </EmptyState>
      ) : (
        <Table stacked caption="Programs with access" head={["Program", "Access", "Products", "Calls", "Expires", ""]}>
          {grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  const { canWrite } = useWriteAccess();
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-2 font-medium">
          {grant.label}
          {grant.client_id === null ? <Badge>API token</Badge> : null}
          {grant.audience === "/mcp/worker" ? <Badge>worker tools</Badge> : null}
        </span>
      </Cell>
      <Cell label="Access">{accessText(grant)}</Cell>
      <Cell label="Products">{productsOf(grant)}</Cell>
      <Cell label="Calls">
        <Calls grant={grant} />
      </Cell>
      <Cell label="Expires">{grant.expires_at ? <RelativeTime at={grant.expires_at} /> : "never"}</Cell>
      <Cell className="sm:text-end">
        <Confirm
          trigger="Revoke"
          size="sm"
          disabled={!canWrite}
          question={`Revoke “${isolated(grant.label)}”?`}
          consequence="The app loses access immediately and must ask you again."
          confirmLabel="Revoke"
          fields={{ intent: "revoke", token_id: grant.id }}
        />
      </Cell>
    </tr>
  );
}

function accessText({ scopes: granted }: Grant): string {
  if (granted === null) return "everything";
  return scopes
    .filter((scope) => granted.includes(scope))
    .map((scope) => scopeWords[scope].title.toLowerCase())
    .join(", ");
}

/** Names a grant's products. Deleted products leave the list, but the grant stays limited. */
function productsOf({ products }: Grant): string {
  if (products === null) return "all";
  return products.map(({ code }) => code).join(", ") || "none any more";
}

/** Shows the first and last call. Reveals programs that sign in but never call. */
function Calls({ grant: { first_used_at: first, last_used_at: last } }: { grant: Grant }) {
  if (last === null) return "never used";
  return (
    <span className="grid">
      {first === null ? null : (
        <span>
          first call <RelativeTime at={first} />
        </span>
      )}
      <span>
        last call <RelativeTime at={last} />
      </span>
    </span>
  );
}
