import { json, type LinksFunction, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { Links, Meta, Outlet, Scripts, useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { EarlierPosition, ScrollPositions } from "~/features/places/scroll-restoration";
import { unlessOfPage } from "~/live/path-data";
import stylesheet from "~/styles/app.css?url";
import { useNonce } from "~/ui/nonce";
import { PageProgress } from "~/ui/page-progress";
import { sprite } from "~/ui/sprite";
import { readTheme, useTheme } from "./ui/theme";

export { WholePageError as ErrorBoundary } from "~/ui/error-page";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheet },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/icon-180.png" },
  { rel: "manifest", href: "/manifest.webmanifest" },
];

export const shouldRevalidate = unlessOfPage;

export const meta: MetaFunction = () => [{ title: "Backloom" }];

/** Reads the theme from its cookie, so that the first paint is already right. */
export function loader({ request }: LoaderFunctionArgs) {
  return json({ theme: readTheme(request.headers.get("cookie")) });
}

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const theme = useTheme();
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5f1" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#161412" />
        <Meta />
        <Links />
      </head>
      <body>
        {sprite}
        {children}
        <EarlierPosition nonce={nonce} />
        <ScrollPositions />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return (
    <>
      <Outlet />
      <NextPageProgress />
    </>
  );
}

/** Shows that a page or form answer loads. Esc gives up a panel, which is an address of the same page. */
function NextPageProgress() {
  const { state, location: next, formMethod } = useNavigation();
  const { pathname, search } = useLocation();
  if (state === "idle") return null;
  const isPanel = next.pathname === pathname && !formMethod;
  return <PageProgress closeTo={isPanel ? pathname + search : undefined} />;
}
