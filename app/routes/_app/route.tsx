import { json } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { type ComponentProps, lazy, memo, Suspense, useCallback, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { leaveLostProduct, personLoader, rememberedProduct, rememberProduct } from "~/http/page-guards.server";
import { renewSessionCookies } from "~/http/session.server";
import { LiveProvider } from "~/live/live-provider";
import { unlessOfPage } from "~/live/path-data";
import { getShell } from "~/nouns/pages/operations.server";
import { isOpenProduct } from "~/nouns/products/operations.server";
import { Alert } from "~/ui/alert";
import { CountBadge } from "~/ui/badge";
import { RouteError } from "~/ui/error-page";
import { Icon, Mark } from "~/ui/icon";
import { PageLink, useLinkArea } from "~/ui/link-area";
import { NowProvider } from "~/ui/relative-time";
import { ToastRegion } from "~/ui/toasts";
import { WriteAccessNotice, WriteAccessProvider } from "~/ui/write-access";
import { BottomBar } from "./bottom-bar";
import { useShellKeys } from "./keys";
import { KeysAhead } from "./keys-ahead";
import { type Destination, destinations, setupDestinations } from "./navigation";
import { ProductSwitch, useCurrentProduct, useFollowedProduct } from "./product-switch";
import type { BarProps, ShellData } from "./shell-data";
import { TopBar } from "./top-bar";

const Palette = lazy(() => import("./palette/palette"));
const KeysDialog = lazy(() => import("./keys-dialog"));
const BesidePages = lazy(() => import("./beside-pages"));

const demoReason = "This is a demo account. You can see everything but change nothing.";

/** The signed-in area. The guard ends expired paired sessions on every render. */
export const loader = personLoader(async ({ actor, principal, session, request, context }) => {
  const cookies = request.headers.get("cookie");
  const { env } = context.services;
  const remembered = rememberedProduct(cookies, principal.user_id, env);
  const isForgotten = remembered !== undefined && principal.active_product_id === null;
  // More than one call: whether a product is lost is asked once, after it stopped being active.
  if (isForgotten && !(await isOpenProduct(actor, remembered))) throw leaveLostProduct(env);
  const shell = await getShell(actor, { active_product_id: principal.active_product_id });
  const data: ShellData = {
    now: Date.now(),
    user: {
      id: principal.user_id,
      username: principal.username,
      isAdmin: principal.role === "ADMIN",
      isDemo: principal.is_demo,
      hasAvatar: principal.has_avatar,
    },
    products: shell.products,
    activeProductId: principal.active_product_id,
    activeSprintId: shell.active_sprint_id,
    inbox: shell.inbox,
    notice: readNotice(request),
  };
  const headers = new Headers();
  for (const renewed of await renewSessionCookies(session, env)) headers.append("set-cookie", renewed);
  if ((remembered ?? null) !== principal.active_product_id) {
    headers.append("set-cookie", rememberProduct(principal, env));
  }
  return json(data, { headers });
});

export const shouldRevalidate = unlessOfPage;

export default function AppShell() {
  const shell = useLoaderData<typeof loader>();
  const product = useCurrentProduct(shell);
  const follow = useLinkArea();
  useFollowedProduct(shell);
  const [overlay, setOverlay] = useState<"none" | "palette" | "keys">("none");
  const openPalette = useCallback(() => setOverlay("palette"), []);
  const openKeys = useCallback(() => setOverlay("keys"), []);
  const close = useCallback(() => setOverlay("none"), []);
  const sprint = product?.id === shell.activeProductId ? shell.activeSprintId : null;
  useShellKeys(product?.id, sprint ? `sprints/${sprint}` : "sprints", shell.user.isAdmin, {
    palette: openPalette,
    keys: openKeys,
  });
  return (
    <NowProvider now={shell.now}>
      <LiveProvider userId={shell.user.id}>
        <WriteAccessProvider reason={shell.user.isDemo ? demoReason : null}>
          <a href="#main" className="skip-link rounded bg-accent px-3 py-2 text-sm text-on-accent">
            Skip to content
          </a>
          <div className="flex min-h-dvh" data-user={shell.user.id}>
            <Sidebar shell={shell} product={product} onClick={follow} />
            <div className="flex min-w-0 flex-1 flex-col">
              <TopBar shell={shell} product={product} onSearch={openPalette} onKeys={openKeys} />
              <main id="main" tabIndex={-1} className="w-full flex-1 px-4 pt-5 pb-24 outline-none lg:px-6">
                {shell.notice ? (
                  <div className="mb-4">
                    <Alert tone="waiting" role="status" title={shell.notice} />
                  </div>
                ) : null}
                <WriteAccessNotice />
                <Outlet />
              </main>
            </div>
          </div>
          <BottomBar shell={shell} product={product} onClick={follow} />
          <Beside shell={shell} product={product} />
          <ToastRegion />
          {/* Not rendered until opened: an empty boundary hydrates last, and a live change may come before that. */}
          {overlay === "none" ? null : (
            <Suspense fallback={<KeysAhead onClose={close} />}>
              {overlay === "palette" ? (
                <Palette open onClose={close} onReopen={openPalette} shell={shell} productId={product?.id} />
              ) : (
                <KeysDialog open onClose={close} />
              )}
            </Suspense>
          )}
        </WriteAccessProvider>
      </LiveProvider>
    </NowProvider>
  );
}

/** A leaf: the shell must not be drawn again while parts of the page are still hydrating. */
function Beside(props: ComponentProps<typeof BesidePages>) {
  return useHydrated() ? (
    <Suspense>
      <BesidePages {...props} />
    </Suspense>
  ) : null;
}

export function ErrorBoundary() {
  return (
    <main id="main">
      <RouteError />
    </main>
  );
}

/** Messages a redirect may show on the next page. Only these texts, never one from the address. */
const notices: Record<string, string> = {
  "product-gone":
    "You no longer have access to your active product. It was archived or deleted, or you are no longer a member. Choose another one.",
};

function readNotice(request: Request): string | null {
  const name = new URL(request.url).searchParams.get("notice");
  return name ? (notices[name] ?? null) : null;
}

const Sidebar = memo(function Sidebar({ shell, product, ...links }: BarProps) {
  return (
    <aside
      {...links}
      aria-label="Pages"
      className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line px-3 py-3 lg:flex"
    >
      <a href="/dashboard" className="flex items-center gap-2 px-2 pt-1 text-base font-semibold tracking-tight">
        <Mark className="size-6" />
        Backloom
      </a>
      <ProductSwitch shell={shell} product={product} className="w-full" />
      <nav aria-label="Main" className="grid gap-0.5">
        {pages.map((destination) => (
          <SidebarLink key={destination.to} {...destination}>
            {destination.to === "/inbox" ? <CountBadge count={shell.inbox} meaning="waiting for you" /> : null}
          </SidebarLink>
        ))}
      </nav>
      <nav aria-label="Setup" className="mt-auto grid gap-0.5">
        {setupDestinations(shell.user.isAdmin).map((destination) => (
          <SidebarLink key={destination.to} {...destination} />
        ))}
      </nav>
    </aside>
  );
});

const pages = destinations.filter(({ within }) => within === undefined);

function SidebarLink({ to, label, icon, children }: Destination & { children?: React.ReactNode }) {
  return (
    <PageLink to={to} className="place">
      <Icon name={icon} />
      <span className="flex-1">{label}</span>
      {children}
    </PageLink>
  );
}
