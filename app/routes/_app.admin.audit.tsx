import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readAuditPage } from "~/features/accounts/audit-page.server";
import { AuditTrail } from "~/features/accounts/audit-trail";
import { pageLoader, requireAdmin } from "~/http/page-guards.server";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";

/** Audit events of all accounts. */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireAdmin(request, context);
  return json(await readAuditPage(actor, request, true));
});

export const meta: MetaFunction = () => [{ title: "Audit trail · Backloom" }];

export default function AuditPage() {
  const { events, next } = useLoaderData<typeof loader>();
  return (
    <div className="grid gap-3">
      <Section title="Audit trail" flush>
        <AuditTrail events={events} withPeople />
      </Section>
      {next ? (
        <ButtonLink to={`?before=${encodeURIComponent(next)}`} className="justify-self-start">
          Older
        </ButtonLink>
      ) : null}
    </div>
  );
}
