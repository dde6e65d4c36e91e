import { useSearchParams } from "@remix-run/react";
import { useMemo } from "react";
import { editParameter } from "~/features/in-place/use-in-place";

/** The page's state is in its address. Each row has two or three links, so their common part is built once. */
export function useTreeAddress() {
  const [params] = useSearchParams();
  const others = `?${changed(params, Object.fromEntries(panelParameters.map((name) => [name, null])))}`;
  // Of the rows: the same whichever panel is open, so that opening one draws no other row again.
  const links = useMemo(() => {
    const panelBase = `${others}${others === "?" ? "" : "&"}panel=`;
    return {
      panelTo: (panel: string | null) => (panel ? `${panelBase}${panel}` : others),
      newStoryTo: (pbiId: string) => `${panelBase}new-story&pbi=${pbiId}`,
      newTaskTo: (storyId: string) => `${panelBase}new-task&story=${storyId}`,
    };
  }, [others]);
  return useMemo(() => {
    const to = (changes: Record<string, string | null>) => `?${changed(params, changes)}`;
    return {
      params,
      panel: params.get("panel"),
      links,
      ...links,
      openTo: (open: string) => to({ open, shut: null }),
      toggles: (isAllOpen: boolean) => toggles(params, isAllOpen),
      filterTo: to,
    };
  }, [params, links]);
}

export type TreeAddress = ReturnType<typeof useTreeAddress>;

/** `open` lists the few open rows, or `shut` the few closed ones, so that addresses do not grow with the backlog. */
function toggles(params: URLSearchParams, isAllOpen: boolean): (code: string) => string {
  const name = isAllOpen ? "shut" : "open";
  const codes = (params.get(name) ?? "").split(",").filter(Boolean);
  const rest = changed(params, { [name]: null });
  const base = `?${rest}${rest === "" ? "" : "&"}${name}=`;
  const now = codes.map((code) => encodeURIComponent(code)).join(",");
  return (code) => {
    if (codes.includes(code)) {
      const others = codes.filter((other) => other !== code);
      return base + others.map((other) => encodeURIComponent(other)).join(",");
    }
    return `${base}${now}${now === "" ? "" : ","}${encodeURIComponent(code)}`;
  };
}

function changed(params: URLSearchParams, changes: Record<string, string | null>): string {
  const next = new URLSearchParams(params);
  next.delete("from");
  next.delete(editParameter);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next.toString();
}

/** Form fields that the address can fill in: `?panel=new-story&pbi=PBI-2&title=…`. */
export const filledFields = ["title", "description", "acceptance_criteria", "implementation_plan", "priority"] as const;

export type FilledField = (typeof filledFields)[number];

/** Target of a pasted list that needs a new PBI. */
export const intoNewPbi = "pbi:new";

/** Search parameters of the panel. Closing it removes them. */
export const panelParameters = ["panel", "pbi", "story", "into", "made", ...filledFields] as const;
