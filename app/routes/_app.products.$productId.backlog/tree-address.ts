import { useSearchParams } from "@remix-run/react";
import { useMemo } from "react";

/** The page's state lives in its address: filter, what is unfolded, which panel is open. */
export function useTreeAddress() {
  const [params] = useSearchParams();
  return useMemo(() => {
    const to = (changes: Record<string, string | null>) => {
      const next = new URLSearchParams(params);
      next.delete("from");
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      return `?${next}`;
    };
    return {
      params,
      panel: params.get("panel"),
      panelTo: (panel: string | null) => to({ panel, pbi: null, story: null }),
      newStoryTo: (pbiId: string) => to({ panel: "new-story", pbi: pbiId }),
      newTaskTo: (storyId: string) => to({ panel: "new-task", story: storyId }),
      openTo: (open: string) => to({ open }),
      /** The same, with one line folded or unfolded. */
      toggleTo: (
        open: string[] | "all",
        code: string,
        shown: readonly { code: string; open: boolean }[],
      ) => {
        const now = open === "all" ? shown.filter((row) => row.open).map((row) => row.code) : open;
        const next = now.includes(code) ? now.filter((other) => other !== code) : [...now, code];
        return to({ open: next.join(",") });
      },
      filterTo: to,
    };
  }, [params]);
}

export type TreeAddress = ReturnType<typeof useTreeAddress>;
