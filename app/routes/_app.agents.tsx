import { Outlet } from "@remix-run/react";
import { connectWorker } from "~/features/jobs/blocked-reasons";
import { ButtonLink } from "~/ui/button";
import { PageHeader } from "~/ui/page-header";
import { NavTabs } from "~/ui/tabs";

const tabs = [
  { to: "/agents", label: "Jobs", end: true },
  { to: "/agents/runs", label: "Runs" },
  { to: "/agents/workers", label: "Workers" },
];

export default function AgentsLayout() {
  return (
    <>
      <PageHeader
        title="Agents"
        lead="The jobs, runs and workers of your products."
        actions={<ButtonLink to={connectWorker}>Connect a worker</ButtonLink>}
      />
      <NavTabs label="Agents" tabs={tabs} />
      <Outlet />
    </>
  );
}
