import { memo } from "react";
import { CountBadge } from "~/ui/badge";
import { Icon, type IconName } from "~/ui/icon";
import { PageLink } from "~/ui/link-area";
import { Menu, MenuLink } from "~/ui/menu";
import { destinations, productPath, setupDestinations } from "./navigation";
import type { BarProps } from "./shell-data";

/** The main destinations on phones; everything else is in a sheet. */
export const BottomBar = memo(function BottomBar({ shell, product, ...links }: BarProps) {
  const more = destinations.filter(({ to, within }) => to !== "/dashboard" && to !== "/inbox" && within === undefined);
  return (
    <nav
      {...links}
      aria-label="Main"
      data-bottom-bar
      className={`fixed inset-x-0 bottom-0 z-20 grid h-15 ${product ? "grid-cols-5" : "grid-cols-3"} border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden`}
    >
      <Slot to="/dashboard" label="Home" icon="house" />
      {product ? <Slot to={productPath(product.id, "backlog")} label="Backlog" icon="list-tree" /> : null}
      {product ? <Slot to={productPath(product.id, "solo")} label="My work" icon="square-kanban" /> : null}
      <Slot to="/inbox" label="Inbox" icon="inbox">
        <span className="absolute top-1 left-1/2 ml-2">
          <CountBadge count={shell.inbox} meaning="waiting for you" />
        </span>
      </Slot>
      <Menu
        label="More pages"
        side="top"
        triggerClassName="slot"
        trigger={
          <>
            <Icon name="menu" className="size-5" />
            More
          </>
        }
      >
        {[...more, ...setupDestinations(shell.user.isAdmin)].map(({ to, label, icon }) => (
          <MenuLink key={to} to={to}>
            <Icon name={icon} className="text-muted" />
            {label}
          </MenuLink>
        ))}
      </Menu>
    </nav>
  );
});

type SlotProps = { to: string; label: string; icon: IconName; children?: React.ReactNode };

function Slot({ to, label, icon, children }: SlotProps) {
  return (
    <PageLink to={to} className="slot">
      <Icon name={icon} className="size-5" />
      {label}
      {children}
    </PageLink>
  );
}
