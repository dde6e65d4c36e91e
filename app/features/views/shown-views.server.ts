import { redirect } from "@remix-run/node";
import { type Look, lookOf, lookParameters, type SavedView, type ViewPage } from "~/wire/saved-views/contract";
import { type Part, withHidden } from "./parts-menu";

export interface ShownViews {
  views: readonly SavedView[];
  /** `isChanged`: the page's settings differ from the view. */
  current: { id: string; isChanged: boolean } | null;
}

export function shownViews(views: readonly SavedView[], page: ViewPage, request: Request): ShownViews {
  const { searchParams } = new URL(request.url);
  const current = views.find(({ id }) => id === searchParams.get("view"));
  if (!current) return { views, current: null };
  const isChanged = !isSameSettings(page, current.look, lookOf(page, searchParams));
  return { views, current: { id: current.id, isChanged } };
}

function isSameSettings(page: ViewPage, one: Look, other: Look): boolean {
  return lookParameters[page].every((name) => (one[name] ?? "") === (other[name] ?? ""));
}

/** The parts that an address leaves out, with spaces. A form without script is led on to its address. */
export function hiddenParts(address: URLSearchParams, parts: readonly Part[]): string {
  if (address.has("show")) throw redirect(`?${withHidden(address, parts)}`);
  const hidden = address.getAll("hide").join(",").split(",");
  return parts
    .map(({ value }) => value)
    .filter((value) => hidden.includes(value))
    .join(" ");
}
