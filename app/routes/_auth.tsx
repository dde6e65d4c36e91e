import { Outlet } from "@remix-run/react";
import { RouteError } from "~/ui/error-page";
import { ToastRegion } from "~/ui/toasts";

/** Layout of the pages before sign-in. */
export default function SignedOutLayout() {
  return (
    <>
      <Outlet />
      <ToastRegion />
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
