import { expect, it } from "vitest";
import { stateLine, type WorkState } from "~/features/board/state-line";

const plain: WorkState = {
  status: "todo",
  open_questions: 0,
  job_status: null,
  job_phase: null,
  waits_for: [],
  failure_reason: null,
  has_plan: true,
};

it.each<[string, Partial<WorkState>, string | null]>([
  ["a job parked for an answer", { job_status: "queued", open_questions: 1 }, "1 open question"],
  ["a job that waits for a worker", { job_status: "queued" }, "Queued"],
  [
    "one that waits for its blockers",
    { job_status: "queued", waits_for: ["T-1", "T-2"] },
    "Blocked by T-1 and 1 more",
  ],
  [
    "one that another worker verifies",
    { job_status: "queued", job_phase: "verify" },
    "Waiting for a second worker",
  ],
  [
    "work that a person judges",
    { job_status: "queued", job_phase: "review", status: "review" },
    "Needs review",
  ],
  ["an agent at work", { job_status: "running", waits_for: ["T-1"] }, "Running"],
  ["an agent at work that asked", { job_status: "running", open_questions: 2 }, "2 open questions"],
  ["a failure", { status: "failed", failure_reason: "It broke\nin two" }, "It broke"],
  ["nothing written about how", { has_plan: false }, "No plan yet"],
  ["done, whatever it waited for", { status: "done", waits_for: ["T-1"] }, null],
  ["nothing to say", {}, null],
])("%s is said in one line", (_, known, text) => {
  expect(stateLine({ ...plain, ...known })?.text ?? null).toBe(text);
});
