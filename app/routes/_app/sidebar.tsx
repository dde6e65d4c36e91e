import { CountBadge } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { useLinkArea } from "~/ui/link-area";
import { Mark } from "~/ui/mark";
import { PlaceLink } from "~/ui/place-link";
import { adminDestination, type Destination, destinations, setupDestinations } from "./navigation";
import { ProductSwitch } from "./product-switch";
import type { ShellData } from "./shell-data";

/** The destinations, next to the page on wide screens. */
export function Sidebar({ shell }: { shell: ShellData }) {
  const links = { onClick: useLinkArea() };
  const setup = shell.user.isAdmin ? [...setupDestinations, adminDestination] : setupDestinations;
  return (
    <aside
      {...links}
      aria-label="Pages"
      className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line px-3 py-3 lg:flex"
    >
      <a
        href="/dashboard"
        className="flex items-center gap-2 px-2 pt-1 text-base font-semibold tracking-tight"
      >
        <Mark className="size-6" />
        Backloom
      </a>
      <ProductSwitch shell={shell} className="w-full" />
      <nav aria-label="Main" className="grid gap-0.5">
        {places.map((destination) => (
          <SidebarLink key={destination.to} {...destination}>
            {destination.to === "/inbox" ? (
              <CountBadge count={shell.inbox} meaning="waiting for you" />
            ) : null}
          </SidebarLink>
        ))}
      </nav>
      <nav aria-label="Setup" className="mt-auto grid gap-0.5">
        {setup.map((destination) => (
          <SidebarLink key={destination.to} {...destination} />
        ))}
      </nav>
    </aside>
  );
}

const places = destinations.filter(({ within }) => within === undefined);

function SidebarLink({ to, label, icon, children }: Destination & { children?: React.ReactNode }) {
  return (
    <PlaceLink to={to} className="place">
      <Icon name={icon} />
      <span className="flex-1">{label}</span>
      {children}
    </PlaceLink>
  );
}
