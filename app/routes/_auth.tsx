import { Outlet } from "@remix-run/react";
import { ToastRegion } from "~/ui/toasts";

export { WholePageError as ErrorBoundary } from "~/ui/error-page";

/** Layout of the pages before sign-in. */
export default function SignedOutLayout() {
  return (
    <>
      <Outlet />
      <ToastRegion />
    </>
  );
}
