import { Link, useSearchParams } from "@remix-run/react";
import { countText } from "~/ui/numbers";
import type { FilePage } from "./file-pages";

/** Leads through the pages of a diff with many files. */
export function FilePageLinks({ page, pages, from, to, total }: FilePage) {
  const [query] = useSearchParams();
  if (pages === 1) return null;
  const link = (label: string, next: number) => {
    if (next < 1 || next > pages) return null;
    const address = new URLSearchParams(query);
    address.delete("open");
    address.set("files", String(next));
    return (
      <Link to={`?${address}`} className="text-accent underline pointer-coarse:py-3">
        {label}
      </Link>
    );
  };
  return (
    <nav aria-label="Files" className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      <span>{`${from} to ${to} of ${countText(total, "file")}`}</span>
      {link("Previous files", page - 1)}
      {link("Next files", page + 1)}
    </nav>
  );
}
