import { useFetchers } from "@remix-run/react";
import { useEffect } from "react";

/** Changes that are saved sooner are not marked. */
const patienceMs = 400;

/** Marks rows and cards whose change takes long to save. Sets attributes: rendering thousands of rows for it would be slow. */
export function useSavingMarks(): void {
  const saving = useFetchers().flatMap(({ formData }) => (formData ? itemsIn(formData) : []));
  const items = [...new Set(saving)].sort().join(" ");
  useEffect(() => {
    if (items === "") return;
    const names = items.split(" ");
    const timer = setTimeout(() => mark(names, true), patienceMs);
    return () => {
      clearTimeout(timer);
      mark(names, false);
    };
  }, [items]);
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
