import { Outlet } from "@remix-run/react";
import { PageHeader } from "~/ui/page-header";
import { NavTabs } from "~/ui/tabs";

const tabs = [
  { to: "/settings", label: "Profile", end: true },
  { to: "/settings/tokens", label: "API tokens" },
  { to: "/settings/devices", label: "Devices" },
  { to: "/settings/notifications", label: "Notifications" },
  { to: "/settings/chats", label: "Chats" },
  { to: "/settings/activity", label: "Activity" },
];

/** The user's settings: profile, tokens, devices, notifications, chats and activity. */
export default function SettingsLayout() {
  return (
    <>
      <PageHeader title="Settings" />
      <NavTabs label="Settings" tabs={tabs} />
      <Outlet />
    </>
  );
}
