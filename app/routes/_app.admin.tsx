import { json } from "@remix-run/node";
import { Outlet } from "@remix-run/react";
import { pageLoader, requireAdmin } from "~/http/page-guards.server";
import { PageHeader } from "~/ui/page-header";
import { NavTabs } from "~/ui/tabs";

const tabs = [
  { to: "/admin", label: "Users", end: true },
  { to: "/admin/prices", label: "Model prices" },
  { to: "/admin/chats", label: "Chats" },
  { to: "/admin/audit", label: "Audit trail" },
];

export const loader = pageLoader(async ({ request, context }) => {
  await requireAdmin(request, context);
  return json(null);
});

export default function AdminLayout() {
  return (
    <>
      <PageHeader title="Administration" />
      <NavTabs label="Administration" tabs={tabs} />
      <Outlet />
    </>
  );
}
