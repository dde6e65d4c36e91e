import { strToU8, zipSync } from "fflate";

export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(files).map(([path, content]): [string, Uint8Array] => [
    path,
    typeof content === "string" ? strToU8(content) : content,
  ]);
  return new Uint8Array(zipSync(Object.fromEntries(entries)));
}

/** Spec folders as their tools write them, from the first to the newest form. */
export const specKit: Readonly<Record<string, string>> = {
  "README.md": "# Garden",
  ".specify/templates/tasks-template.md": "- [ ] T001 A sample",
  // The first form: phases with a dot, no stories, scenarios of one list.
  "specs/001-beds/spec.md": [
    "# Feature Specification: Plan the beds",
    "",
    "**Feature Branch**: `001-beds`",
    "",
    "### Acceptance Scenarios",
    "1. **Given** an empty bed, **When** a row is drawn, **Then** it is kept",
    "2. **Given** two rows, **When** they cross,",
    "   **Then** the second is refused",
    "",
    "### Edge Cases",
    "- Beds without a name",
  ].join("\n"),
  "specs/001-beds/plan.md": "# Implementation Plan: Plan the beds\n\n## Technical Context\n\nOne table for the rows.\n",
  "specs/001-beds/tasks.md": [
    "# Tasks: Plan the beds",
    "",
    "## Format: `[ID] [P?] Description`",
    "```",
    "- [ ] T099 A sample in code",
    "```",
    "<!-- - [ ] T098 A sample in a comment -->",
    "## Phase 3.1: Setup",
    "- [x] T001 Create the table in db/beds.sql",
    "- [ ] T002 [P] Lint the folder",
    "## Phase 3.3: Core",
    "- [ ] T003 Draw a row",
    "  - with its name",
    "  - and its length",
    "- [ ] T004 [P] Describe the drawing",
    "- [ ] T005 Refuse rows that cross",
    "",
    "## Validation",
    "- [ ] All rows have a test",
  ].join("\n"),
  "specs/001-beds/research.md": "# Research",
  "specs/001-beds/contracts/rows.yaml": "openapi: 3.1.0",
  // The later form: a phase a story, with marks of stories, all done.
  "specs/002-water/spec.md":
    "---\ntitle: x\n---\n# Feature Specification: Water the beds\n\n### User Story 1 - A tap (Priority: P1)\n\n**Acceptance Scenarios**:\n\n1. **Given** a dry bed, **When** the tap opens, **Then** it is wet\n",
  "specs/002-water/plan.md": "# Implementation Plan: Water\n\nA pump.\n",
  "specs/002-water/tasks.md":
    "# Tasks: Water the beds\n\n## Phase 1: Setup\n\n- [X] T001 [US1] Buy a pump\n- [X] **T002** [P] [US1] Lay the pipe\n",
  // One that was only begun.
  "specs/003-frost/spec.md": "# Frost\n\nCover the beds.\n",
};

export const openspec: Readonly<Record<string, string>> = {
  "openspec/project.md": "# Garden",
  "openspec/specs/beds/spec.md": "# Beds",
  // The first form: a heading with the name, numbered boxes.
  "openspec/changes/add-compost/proposal.md":
    "# Change: Add a compost heap\n\n## Why\nLeaves lie around.\n\n## What Changes\n- A heap\n",
  "openspec/changes/add-compost/tasks.md":
    "## 1. Implementation\n- [x] 1.1 Choose a place\n- [ ] 1.2 Build the frame\n  Of old boards.\n\n## 2. Use\n- [ ] 2.1 Turn it each month\n",
  "openspec/changes/add-compost/specs/compost/spec.md": [
    "## ADDED Requirements",
    "### Requirement: Heat",
    "The heap SHALL be warm.",
    "#### Scenario: In winter",
    "- **WHEN** it freezes",
    "- **THEN** the heap is warm",
  ].join("\n"),
  // The newest: no heading with a name, a design, boxes without a number.
  "openspec/changes/move-shed/proposal.md": "## Why\n\nIt stands in the way.\n",
  "openspec/changes/move-shed/design.md": "## Context\n\nOn rollers.\n",
  "openspec/changes/move-shed/tasks.md": "# Tasks\n\n## Phase 1\n\n- [ ] Empty it\n- [ ] Roll it\n",
  "openspec/changes/archive/2026-01-02-add-fence/proposal.md": "# Change: Add a fence\n",
  "openspec/changes/archive/2026-01-02-add-fence/tasks.md": "- [x] 1.1 Build it\n",
};

const bead = (id: string, more: object) =>
  JSON.stringify({
    id,
    title: `Title of ${id}`,
    status: "open",
    priority: 2,
    issue_type: "task",
    created_at: "2026-01-03T14:08:28.776883793-08:00",
    updated_at: "2026-01-04T00:00:00Z",
    ...more,
  });
const link = (issue_id: string, depends_on_id: string, type: string) => {
  return { issue_id, depends_on_id, type, created_at: "2026-01-03T00:00:00Z", created_by: "ada" };
};

export const beads = [
  bead("g-1", { issue_type: "epic", title: "Harvest", description: "All of it", design: "By hand" }),
  bead("g-2", {
    title: "Pick",
    status: "in_progress",
    priority: 0,
    labels: ["fruit"],
    assignee: "ada",
    description: "The apples",
    notes: "Ripe",
    acceptance_criteria: "- [ ] None is left",
    dependencies: [link("g-2", "g-1", "parent-child"), link("g-2", "g-4", "blocks")],
    comments: [{ id: 1, issue_id: "g-2", author: "bob", text: "Soon", created_at: "2026-01-05" }],
  }),
  bead("g-2.1", { title: "Find a ladder", design: "Ask next door", estimated_minutes: 20 }),
  bead("g-2.2", { title: "Climb", dependencies: [link("g-2.2", "g-2.1", "blocks")] }),
  bead("g-3", {
    title: "Sell",
    status: "blocked",
    priority: 3,
    dependencies: [
      link("g-3", "g-1", "parent-child"),
      link("g-3", "g-2", "blocks"),
      link("g-3", "g-9", "blocks"),
      link("g-3", "g-4", "discovered-from"),
    ],
  }),
  bead("g-4", { title: "Buy baskets", status: "closed", closed_at: "2026-01-04T00:00:00Z" }),
  bead("g-9", { status: "tombstone", deleted_at: "2026-01-04T00:00:00Z" }),
  bead("g-10", { issue_type: "message", title: "Hello" }),
].join("\n");
