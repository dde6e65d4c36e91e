import { useSearchParams } from "@remix-run/react";
import { useMemo } from "react";
import { editParameter } from "~/features/in-place/edit-parameter";

/**
 * The page's state lives in its address: filter, what is unfolded, which panel is open. Each line has two or
 * three addresses of its own, so what they share is written once.
 */
export function useTreeAddress() {
  const [params] = useSearchParams();
  return useMemo(() => {
    const to = (changes: Record<string, string | null>) => `?${changed(params, changes)}`;
    const others = to(Object.fromEntries(panelParameters.map((name) => [name, null])));
    const panelBase = `${others}${others === "?" ? "" : "&"}panel=`;
    return {
      params,
      panel: params.get("panel"),
      panelTo: (panel: string | null) => (panel ? `${panelBase}${panel}` : others),
      newStoryTo: (pbiId: string) => `${panelBase}new-story&pbi=${pbiId}`,
      newTaskTo: (storyId: string) => `${panelBase}new-task&story=${storyId}`,
      openTo: (open: string) => to({ open, shut: null }),
      toggles: (isAllOpen: boolean) => toggles(params, isAllOpen),
      filterTo: to,
    };
  }, [params]);
}

export type TreeAddress = ReturnType<typeof useTreeAddress>;

/**
 * The address with one line folded or unfolded. Either few lines are open and `open` names them, or nearly all are
 * and `shut` names the others: an address never grows with the backlog.
 */
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

/** Fields of a form for something new that its address may fill in: `?panel=new-story&pbi=PBI-2&title=…`. */
export const filledFields = [
  "title",
  "description",
  "acceptance_criteria",
  "implementation_plan",
  "priority",
] as const;

export type FilledField = (typeof filledFields)[number];

/** Where a list goes that no PBI is there for yet. */
export const intoNewPbi = "pbi:new";

/** All that belongs to the panel in the address of the backlog; it goes when the panel does. */
export const panelParameters = ["panel", "pbi", "story", "into", "made", ...filledFields] as const;
