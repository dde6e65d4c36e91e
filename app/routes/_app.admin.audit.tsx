import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readAuditPage } from "~/features/accounts/audit-page.server";
import { AuditTrail, OlderEvents } from "~/features/accounts/audit-trail";
import { pageLoader, requireAdmin } from "~/http/page-guards.server";
import { Section } from "~/ui/card";

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
      <OlderEvents next={next} />
    </div>
  );
}
