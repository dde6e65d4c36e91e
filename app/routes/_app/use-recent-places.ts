import { useLocation } from "@remix-run/react";
import { useEffect } from "react";

const worthKeeping = /^\/(stories|tasks|ideas|products)\/[0-9a-f-]{36}/;

/** Remembers this account's recently viewed items. */
export function useRecentPlaces(userId: string, product: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!worthKeeping.test(pathname)) return;
    // The page's meta sets the title one tick after the address changes.
    const timer = setTimeout(() => {
      import("./palette/recent").then(
        ({ notePlace }) => notePlace(userId, pathname, product),
        () => {
          // Offline: the page is not remembered.
        },
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [pathname, userId, product]);
}
