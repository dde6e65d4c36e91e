import { redirect } from "@remix-run/node";
import { type Part, withHidden } from "./shown-parts";

/** The parts that an address leaves out, with spaces. A form without script is led on to its address. */
export function hiddenParts(address: URLSearchParams, parts: readonly Part[]): string {
  if (address.has("show")) throw redirect(`?${withHidden(address, parts)}`);
  const hidden = address.getAll("hide").join(",").split(",");
  return parts
    .map(({ value }) => value)
    .filter((value) => hidden.includes(value))
    .join(" ");
}
