import { NavLink } from "@remix-run/react";
import {
  House,
  Inbox,
  ListTree,
  type LucideIcon,
  Menu as MenuIcon,
  SquareKanban,
} from "lucide-react";
import { CountBadge } from "~/components/badge";
import { Menu, MenuLink } from "~/components/menu";
import { adminDestination, destinations, productPath, setupDestinations } from "./navigation";
import { useCurrentProduct } from "./product-switch";
import type { ShellData } from "./shell-data";

/** The five places for the thumb; everything else is one sheet away. */
export function BottomBar({ shell }: { shell: ShellData }) {
  const product = useCurrentProduct(shell);
  const more = destinations.filter(
    ({ to, within }) => to !== "/dashboard" && to !== "/inbox" && within === undefined,
  );
  const setup = shell.user.isAdmin ? [...setupDestinations, adminDestination] : setupDestinations;
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-20 flex h-15 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <Slot to="/dashboard" label="Home" Icon={House} />
      {product ? (
        <Slot to={productPath(product.id, "backlog")} label="Backlog" Icon={ListTree} />
      ) : null}
      {product ? (
        <Slot to={productPath(product.id, "solo")} label="My board" Icon={SquareKanban} />
      ) : null}
      <Slot to="/inbox" label="Inbox" Icon={Inbox}>
        <span className="absolute top-1 left-1/2 ml-2">
          <CountBadge count={shell.inbox} meaning="waiting for you" />
        </span>
      </Slot>
      <Menu
        label="More places"
        side="top"
        triggerClassName="slot"
        trigger={
          <>
            <MenuIcon className="size-5" aria-hidden="true" />
            More
          </>
        }
      >
        {[...more, ...setup].map(({ to, label, Icon }) => (
          <MenuLink key={to} to={to}>
            <Icon className="size-4 text-muted" aria-hidden="true" />
            {label}
          </MenuLink>
        ))}
      </Menu>
    </nav>
  );
}

function Slot({
  to,
  label,
  Icon,
  children,
}: {
  to: string;
  label: string;
  Icon: LucideIcon;
  children?: React.ReactNode;
}) {
  return (
    <NavLink to={to} className="slot">
      <Icon className="size-5" aria-hidden="true" />
      {label}
      {children}
    </NavLink>
  );
}
