import { isIPv6 } from "node:net";

/** Rate-limit key of an address. IPv6 is counted by its /64, because one household usually owns the whole /64. */
export function addressLimitKey(address: string): string {
  return isIPv6(address) ? `${networkOf(address)}::/64` : address;
}

function networkOf(address: string): string {
  const [left = "", right = ""] = address.split("::");
  const leading = left === "" ? [] : left.split(":");
  const trailing = right === "" ? [] : right.split(":");
  const isShortened = address.includes("::");
  const zeros = Array.from({ length: 8 - leading.length - trailing.length }, () => "0");
  const groups = isShortened ? [...leading, ...zeros, ...trailing] : leading;
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
