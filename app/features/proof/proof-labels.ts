import type { StatusTone } from "~/ui/status";
import type { Evidence, ProvenCriterion } from "~/wire/proof/contract";

type State = ProvenCriterion["state"];

const states: Record<State, { label: string; tone: StatusTone }> = {
  proven: { label: "Proven", tone: "done" },
  unproven: { label: "Not proven", tone: "todo" },
  stale: { label: "Out of date", tone: "review" },
  failed: { label: "Failed", tone: "failed" },
  waived: { label: "Waived", tone: "idle" },
};

const didNotFailBefore = { label: "Did not fail before", tone: "failed" } as const;

/** Whether evidence counts for the current state of the work. */
function counts({ stale, voided_by, passed_before }: Evidence): boolean {
  return !stale && voided_by === null && !passed_before;
}

/** Whether the only fault is that the check also passes without the work. */
function isHollow(evidence: Evidence | undefined): boolean {
  return evidence?.passed_before === true && !evidence.stale && evidence.voided_by === null;
}

/** Returns the label and tone of a criterion's state; never color alone. The label names the deciding evidence. */
export function standing({ state, grade, evidence }: Omit<ProvenCriterion, "id">) {
  const { label, tone } = states[state];
  if (state === "unproven" && isHollow(evidence[0])) return didNotFailBefore;
  const verdict = state === "proven" ? "pass" : "fail";
  if (grade === null || (state !== "proven" && state !== "failed")) return { label, tone };
  const decides = evidence.find((each) => counts(each) && each.grade === grade && each.verdict === verdict);
  return { label: seen({ grade, verdict, observed_by: decides?.observed_by }), tone };
}

interface Seen extends Pick<Evidence, "grade" | "verdict"> {
  observed_by?: string | undefined;
}

/** Describes evidence: "Test passed", "Checked by another agent", "Confirmed by ada". */
export function seen({ grade, verdict, observed_by = "a person" }: Seen): string {
  const labels: Record<Evidence["grade"], Record<Evidence["verdict"], string>> = {
    said: {
      pass: "Reported by the agent",
      fail: "Reported as failed by the agent",
      unverifiable: "The agent could not check it",
    },
    worker: { pass: "Test passed", fail: "Test failed", unverifiable: "A test could not check it" },
    other_worker: {
      pass: "Checked by another agent",
      fail: "Rejected by another agent",
      unverifiable: "Another agent could not check it",
    },
    ci: { pass: "CI passed", fail: "CI failed", unverifiable: "CI could not check it" },
    person: {
      pass: `Confirmed by ${observed_by}`,
      fail: `Rejected by ${observed_by}`,
      unverifiable: `${observed_by} could not check it`,
    },
  };
  return labels[grade][verdict];
}

/** What a product requires before done, in the words of its story pages. */
export const requirements = {
  none: null,
  worker: "A story is done once a test of every criterion has passed.",
  other_worker: "A story is done once another agent has checked every criterion.",
  ci: "A story is done once CI has passed for its pull request.",
  person: "A story is done once a person approves it.",
} as const;

export const requirementChoices = [
  { value: "none", label: "No one", description: "A story is done when all its tasks are." },
  {
    value: "worker",
    label: "Tests and CI",
    description:
      "The worker runs a command for every criterion, and all of them pass. What CI of a pull request found counts as well.",
  },
  {
    value: "person",
    label: "A person",
    description:
      "The last task of a story waits in Review until someone approves it. So does work that follows its plan only in part.",
  },
] as const;

const chosenElsewhere = { other_worker: "Another agent", ci: "CI of the pull request" } as const;

/** The choices, and what the product has if it was chosen over the API. */
export function requirementChoicesWith(current: keyof typeof requirements) {
  if (current !== "other_worker" && current !== "ci") return requirementChoices;
  return [...requirementChoices, { value: current, label: chosenElsewhere[current] }];
}
