import {
  json,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from "@remix-run/node";
import { Links, Meta, Outlet, Scripts, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { EarlierPlace, ScrollPlaces } from "~/features/places/scroll-restoration";
import stylesheet from "~/styles/app.css?url";
import { RouteError } from "~/ui/error-page";
import { useNonce } from "~/ui/nonce";
import { sprite } from "~/ui/sprite";
import { readTheme } from "~/ui/theme";
import { useTheme } from "~/ui/theme-menu";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheet },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
  { rel: "apple-touch-icon", href: "/icon-180.png" },
  { rel: "manifest", href: "/manifest.webmanifest" },
];

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
        <EarlierPlace nonce={nonce} />
        <ScrollPlaces />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return (
    <>
      <PageProgress />
      <Outlet />
    </>
  );
}

export function ErrorBoundary() {
  return (
    <main>
      <RouteError />
    </main>
  );
}

/** Progress bar while a page or form answer loads. motion.css shows it only after a delay. */
function PageProgress() {
  const { state } = useNavigation();
  if (state === "idle") return null;
  return <div role="progressbar" aria-label="Loading" className="page-progress" />;
}
