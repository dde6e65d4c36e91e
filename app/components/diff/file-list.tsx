import type { ReactNode } from "react";
import { LineCounts } from "./line-counts";
import type { ShownFile } from "./shown-diff";

/** The changed files with what each of them changes; those that were viewed are ticked. */
export function FileList({
  files,
  viewed,
  children,
}: {
  files: readonly ShownFile[];
  viewed: readonly string[];
  children: ReactNode;
}) {
  return (
    <nav aria-label="Changed files" className="min-w-0 lg:sticky lg:top-4">
      <ol className="grid max-h-[40vh] gap-px overflow-y-auto text-xs lg:max-h-[80vh]">
        {files.map((file) => (
          <li key={file.path}>
            <a
              href={`#file-${file.index}`}
              className="flex items-baseline justify-between gap-2 rounded px-2 py-1 hover:bg-sunken pointer-coarse:py-3"
            >
              <span className="min-w-0 truncate font-mono" title={file.path}>
                {viewed.includes(file.key) ? "✓ " : ""}
                <bdi>{shortName(file.path)}</bdi>
              </span>
              <LineCounts additions={file.additions} deletions={file.deletions} />
            </a>
          </li>
        ))}
      </ol>
      {children}
    </nav>
  );
}

/** The last folders and the name: what tells files apart. */
function shortName(path: string): string {
  const parts = path.split("/");
  return parts.length > 3 ? `…/${parts.slice(-3).join("/")}` : path;
}
