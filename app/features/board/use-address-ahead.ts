import { useLocation, useNavigation } from "@remix-run/react";

/** The search parameters of the page that is coming: what is folded is so at once. */
export function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
}
