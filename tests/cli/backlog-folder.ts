import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

/** One Backlog.md file: front matter lines, then the body. */
export function file(frontMatter: string, body = ""): string {
  return `---\n${frontMatter}\n---\n\n${body}\n`;
}

const sections = `## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
First paragraph.

## A heading of its own inside the section
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 It works
- [ ] #2 It is fast
<!-- AC:END -->

## Implementation Plan

1. Begin
\`\`\`
## Description
not a heading in code
\`\`\`
2. End

## Implementation Notes

Noted.

## Final Summary

Summed up.

## Definition of Done
- [x] #1 Tests pass`;

/** A small folder with everything that the converter has to know. */
const files: Record<string, string> = {
  "config.yml": 'project_name: "Demo"\ndefinition_of_done: ["npm test passes"]\n',
  "readme.md": "# About\n",
  "docs/doc-1 - Guide.md": file("id: doc-1\ntitle: Guide"),
  "decisions/decision-1 - Choice.md": file("id: decision-1\ntitle: Choice"),
  "tasks/picture.png": "not text",
  "milestones/m-1 - first.md": file('id: m-1\ntitle: "First Milestone"', "## Description\n\nThe goal."),
  "archive/milestones/m-0 - old.md": file("id: m-0\ntitle: Old"),
  // In a milestone, with a plan and a subtask: the story has two tasks.
  "tasks/demo-1 - Full.md": file(
    "id: DEMO-1\ntitle: Full task\nstatus: In Progress\nassignee: @ada\ncreated_date: '2026-01-02 03:04'\npriority: high\nmilestone: m-1\nlabels:\n  - cli",
    sections,
  ),
  "tasks/demo-1.1 - Sub.md": file(
    "id: DEMO-1.1\ntitle: >-\n  A title that goes on\n  over two lines\nstatus: To Do\nparent_task_id: task-01",
    "## Description\n\nSub description.\n\n## Acceptance Criteria\n\n- [ ] Sub criterion",
  ),
  // A parent without a milestone: a PBI with its children as stories.
  "tasks/demo-2 - Parent.md": file("id: DEMO-2\ntitle: Parent\nstatus: To Do", "## Description\n\nAll."),
  "tasks/demo-2.1 - Child.md": file("id: DEMO-2.1\ntitle: Child\nstatus: To Do\nparent_task_id: DEMO-2"),
  "completed/demo-2.02 - Done-child.md": file(
    "id: DEMO-2.02\ntitle: Done child\nstatus: Done\nparent_task_id: 'DEMO-2'",
    "## Implementation Plan\n\nJust do it.",
  ),
  "tasks/demo-3 - Single.md": file("id: DEMO-3\ntitle: Single\nstatus: To Do"),
  "tasks/demo-4 - Odd.md": file("id: DEMO-4\ntitle: Odd state\nstatus: Simmering"),
  "tasks/demo-5 - Dropped.md": file("id: DEMO-5\ntitle: Dropped\nstatus: Won't Do"),
  "tasks/demo-6 - Orphan.md": file("id: DEMO-6\ntitle: Orphan\nstatus: To Do\nparent_task_id: DEMO-99"),
  "completed/demo-7 - Old.md": file("id: DEMO-7\ntitle: Old work\nstatus: Done"),
  "completed/demo-3 - Twin.md": file("id: DEMO-3\ntitle: Twin of three\nstatus: To Do"),
  "archive/tasks/demo-8 - Archived.md": file(
    "id: DEMO-8\ntitle: Archived\nstatus: To Do\nupdated_date: '2026-02-03'",
    "## Description\n\nKept.",
  ),
  "drafts/draft-1 - Thought.md": file("id: draft-1\ntitle: Thought", "## Description\n\nMaybe."),
  "tasks/demo-9 - Broken.md": "---\nid: [\n---\n",
  "tasks/demo-10 - Bare.md": "No front matter at all\n",
};

/** Writes the folder for a test file; removed after its last test. */
export function writeBacklogFolder(given = files): { folder: string; fileCount: number } {
  const folder = mkdtempSync(join(tmpdir(), "backloom-folder-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(given)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, fileCount: Object.keys(given).length };
}
