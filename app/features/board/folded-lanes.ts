import { useLocation, useNavigation } from "@remix-run/react";

const foldName = "fold";

export function foldedLanes(address: URLSearchParams): readonly string[] {
  return address.getAll(foldName).join(",").split(",").filter(Boolean);
}

/** Returns the address with this lane's folding toggled. */
export function foldLink(address: URLSearchParams, key: string): string {
  const folded = foldedLanes(address);
  const next = new URLSearchParams(address);
  next.delete(foldName);
  const left = folded.filter((other) => other !== key);
  if (left.length === folded.length) left.push(key);
  if (left.length > 0) next.set(foldName, left.join(","));
  return `?${next}`;
}

/** Returns the search parameters of the page being loaded, so that folding shows at once. */
export function useAddressAhead(): URLSearchParams {
  const { pathname, search } = useLocation();
  const { location: next } = useNavigation();
  return new URLSearchParams(next?.pathname === pathname ? next.search : search);
}
