import { Form } from "@remix-run/react";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Menu, MenuButton, MenuDivider, MenuHeading, MenuLink } from "~/ui/menu";
import { ThemeChoices } from "~/ui/theme-menu";
import type { ShellData } from "./shell-data";

export function UserMenu({ user }: { user: ShellData["user"] }) {
  return (
    <Menu
      label={`${user.username}: account and appearance`}
      align="end"
      triggerClassName="rounded-full"
      trigger={<Avatar name={user.username} src={user.hasAvatar ? "/settings/avatar" : null} />}
    >
      <div className="flex items-center gap-2 px-2.5 py-1.5 text-sm">
        <span className="font-semibold">{user.username}</span>
        {user.isDemo ? <Badge tone="accent">demo</Badge> : null}
      </div>
      <MenuLink to="/settings">Profile and settings</MenuLink>
      <MenuLink to="/start">First steps</MenuLink>
      {user.isAdmin ? <MenuLink to="/admin">Administration</MenuLink> : null}
      <MenuDivider />
      <MenuHeading>Appearance</MenuHeading>
      <ThemeChoices />
      <MenuDivider />
      <Form method="post" action="/logout">
        <MenuButton>Sign out</MenuButton>
      </Form>
    </Menu>
  );
}
