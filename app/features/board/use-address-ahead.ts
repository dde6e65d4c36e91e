import { useLocation, useNavigation } from "@remix-run/react";

/** Returns the search parameters of the page being loaded, so that folding shows at once. */
export function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
}
