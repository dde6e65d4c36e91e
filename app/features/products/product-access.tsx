import { useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { WriteAccessProvider } from "~/ui/write-access";

type Shell = { user: { isDemo: boolean }; products: { id: string; role: string }[] };

/** Whether the user is a viewer of the product, by the roles in the shell. Demo accounts may do even less. */
export function useIsViewer(productId: string | null | undefined): boolean {
  const shell = useRouteLoaderData<Shell>("routes/_app");
  if (!shell || shell.user.isDemo) return false;
  return shell.products.some(({ id, role }) => id === productId && role === "VIEWER");
}

/** Whether the user owns the product that this page belongs to, archived ones too. */
export function useIsOwner(): boolean {
  return useRouteLoaderData<{ isOwner: boolean }>("routes/_app.products.$productId")?.isOwner ?? false;
}

type ProductAccessProps = { productId: string | null | undefined; archived?: boolean; children: ReactNode };

/** Sets write access for one product: no one can change an archived one, and viewers can change nothing. */
export function ProductAccess({ productId, archived, children }: ProductAccessProps) {
  const isViewer = useIsViewer(productId);
  const reason = archived ? archivedReason : isViewer ? viewerReason : null;
  return <WriteAccessProvider reason={reason}>{children}</WriteAccessProvider>;
}

const archivedReason = "This product is archived. Restore it in its settings to change something.";
const viewerReason = "You are a viewer of this product: you can read and comment.";
