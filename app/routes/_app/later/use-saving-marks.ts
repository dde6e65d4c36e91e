import { useEffect } from "react";

/** What is saved sooner is not marked. */
const patienceMs = 400;

/** Marks rows and cards whose change takes long to save. There may be thousands, so they are not drawn anew for it. */
export function useSavingMarks(): void {
  useEffect(() => {
    /** By request: the items, and what marks them when it has taken long enough. */
    const pending = new Map<string, { items: string[]; timer: number }>();
    const unsubscribe = window.__remixRouter.subscribe(({ fetchers }) => {
      for (const [key, { formData }] of fetchers) {
        const items = formData ? itemsIn(formData) : [];
        if (pending.has(key) || items.length === 0) continue;
        pending.set(key, { items, timer: window.setTimeout(() => mark(items, true), patienceMs) });
      }
      for (const [key, { items, timer }] of pending) {
        if (fetchers.get(key)?.formData) continue;
        pending.delete(key);
        clearTimeout(timer);
        mark(items, false);
      }
    });
    return unsubscribe;
  }, []);
}

function itemsIn(form: FormData): string[] {
  return [
    ...form.getAll("thing").map(String),
    ...form.getAll("task_id").map((id) => `task:${String(id)}`),
  ];
}

function mark(items: readonly string[], isSaving: boolean) {
  for (const line of document.querySelectorAll("[data-line]")) {
    if (!items.includes(line.getAttribute("data-line") ?? "")) continue;
    line.toggleAttribute("data-saving", isSaving);
    if (isSaving) line.setAttribute("aria-busy", "true");
    else line.removeAttribute("aria-busy");
  }
}
