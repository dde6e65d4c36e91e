import { Form, Link } from "@remix-run/react";
import { clsx } from "clsx";
import { memo } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import type { LiveStatus } from "~/live/signal";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { Avatar } from "~/ui/avatar";
import { Badge, Kbd } from "~/ui/badge";
import { buttonClass, IconButton } from "~/ui/button";
import { Icon, Mark } from "~/ui/icon";
import { Menu, MenuButton, MenuDivider, MenuHeading, MenuLink } from "~/ui/menu";
import { ThemeChoices } from "~/ui/theme";
import { ProductSwitch } from "./product-switch";
import type { BarProps, ShellData } from "./shell-data";

type TopBarProps = Omit<BarProps, "onClick"> & { onSearch: () => void; onKeys: () => void };

export const TopBar = memo(function TopBar({ shell, product, onSearch, onKeys }: TopBarProps) {
  return (
    <header className="sticky top-0 z-20 flex h-13 items-center gap-2 border-b border-line bg-paper px-3 lg:px-6">
      <Link to="/dashboard" aria-label="Dashboard" className="lg:hidden">
        <Mark className="size-6" />
      </Link>
      <ProductSwitch shell={shell} product={product} className="max-w-40 lg:hidden" />
      <SearchBox onSearch={onSearch} />
      <div className="ml-auto flex items-center gap-1.5">
        <ShellLive />
        <span className="max-lg:hidden">
          <KeysButton onKeys={onKeys} />
        </span>
        <InboxBell count={shell.inbox} />
        <UserMenu user={shell.user} />
      </div>
    </header>
  );
});

/** Opens the palette; without JavaScript it is a search form. */
function SearchBox({ onSearch }: { onSearch: () => void }) {
  const hydrated = useHydrated();
  if (!hydrated) {
    return (
      <>
        <Link to="/search" aria-label="Search" className={buttonClass("plain", "icon", "sm:hidden")}>
          <Icon name="search" />
        </Link>
        <Form action="/search" role="search" aria-label="Everywhere" className="max-sm:hidden">
          <input
            name="q"
            type="search"
            aria-label="Search"
            placeholder="Search"
            className="h-8 w-64 rounded border border-line bg-surface px-2.5 text-sm"
          />
        </Form>
      </>
    );
  }
  return (
    <button
      type="button"
      onClick={onSearch}
      aria-label="Search and actions"
      className="flex h-8 items-center gap-2 rounded border border-line bg-surface px-2.5 text-sm text-muted hover:border-line-strong sm:w-64"
    >
      <Icon name="search" />
      <span className="flex-1 text-start max-sm:hidden">Search or jump to…</span>
      <span className="max-sm:hidden">
        <Kbd>{/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</Kbd>
      </span>
    </button>
  );
}

function KeysButton({ onKeys }: { onKeys: () => void }) {
  const hydrated = useHydrated();
  if (!hydrated) return null;
  return (
    <IconButton label="Keyboard shortcuts (?)" onClick={onKeys}>
      <Icon name="keyboard" />
    </IconButton>
  );
}

/** The bar's only prominent element: turns amber when something waits for the user. */
function InboxBell({ count }: { count: number }) {
  const label = count === 0 ? "Your inbox is empty" : `${count} waiting for you`;
  return (
    <Link
      to="/inbox"
      aria-label={label}
      title={label}
      className={
        count > 0
          ? "flex h-8 items-center gap-1.5 rounded bg-waiting-soft px-2.5 text-waiting hover:outline-1 hover:outline-waiting pointer-coarse:h-10"
          : buttonClass("quiet", "icon")
      }
    >
      <Icon name="bell" />
      {count > 0 ? <span className="text-xs font-semibold">{count > 99 ? "99+" : count}</span> : null}
    </Link>
  );
}

/** Keeps the count of questions current on every page, and shows whether live updates work. */
function ShellLive() {
  return <LiveIndicator status={useLiveRevalidation({ stream: "notifications" })} />;
}

function UserMenu({ user }: { user: ShellData["user"] }) {
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

const texts: Readonly<Record<LiveStatus, string>> = {
  connecting: "Connecting to live updates",
  live: "Live: updates appear automatically",
  reconnecting: "Reconnecting. Updates may be late",
  offline: "You are offline. Updates resume when you reconnect",
  refused: "Live updates stopped. Reload the page",
};

/** Dot that shows whether the page is live. Text appears only when it is not. */
function LiveIndicator({ status }: { status: LiveStatus }) {
  const isQuiet = status === "live" || status === "connecting";
  return (
    <span
      role="status"
      title={texts[status]}
      data-live={status}
      className="inline-flex items-center gap-1.5 text-2xs text-muted"
    >
      <span
        aria-hidden="true"
        className={clsx("size-1.5 rounded-full", isQuiet ? "bg-done" : "bg-waiting", {
          "opacity-40": status === "connecting",
        })}
      />
      <span className={clsx(isQuiet && "sr-only")}>{isQuiet ? texts[status] : shortText(status)}</span>
    </span>
  );
}

function shortText(status: LiveStatus): string {
  if (status === "offline") return "Offline";
  return status === "refused" ? "Not live" : "Reconnecting";
}
