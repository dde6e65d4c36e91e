import type { KeptFile } from "~/nouns/upkeep/contract";

const titles = {
  agents_md: "Lessons in AGENTS.md",
  spec_boxes: "Boxes of done tasks in specs",
} as const satisfies Record<KeptFile["kind"], string>;

/** The pull requests of files that follow the backlog. */
export function KeptFiles({ files }: { files: readonly KeptFile[] }) {
  if (files.length === 0) return null;
  return (
    <section aria-label="In the repository" className="grid gap-2">
      <h2 className="text-base font-semibold">In the repository</h2>
      <dl className="grid gap-2 text-sm">
        {files.map((file) => (
          <div key={file.kind}>
            <dt className="font-medium">{titles[file.kind]}</dt>
            <dd className="break-words text-muted">
              {stateOf(file)}{" "}
              {file.url === null || file.state === "waiting" ? null : (
                <a href={file.url} className="text-accent underline">
                  Open the pull request
                </a>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function stateOf({ state, branch, words }: KeptFile): string {
  switch (state) {
    case "waiting":
      return words === null
        ? "Waiting for a worker started with --pr."
        : `Waiting for a worker to try again: ${words}`;
    case "open":
      return "In an open pull request.";
    case "merged":
      return "Merged.";
    case "closed":
      return "Closed without being merged. The next change opens a new pull request.";
    case "branch":
      return `On branch ${branch}, as there is nowhere to open a pull request. Merge it yourself.`;
    case "conflict":
      return words ?? "It does not fit what people wrote.";
  }
}
