import type { EvidenceGrade, ProvenCriterion } from "~/contract/proof";
import type { StatusTone } from "~/ui/status";

type State = ProvenCriterion["state"];

/** How a criterion stands: a shape and a word, never a colour alone. */
export const criterionStates: Record<State, { label: string; tone: StatusTone }> = {
  proven: { label: "Proven", tone: "done" },
  unproven: { label: "Not proven", tone: "todo" },
  stale: { label: "Out of date", tone: "review" },
  failed: { label: "Failed", tone: "failed" },
  waived: { label: "Waived", tone: "idle" },
};

/** Who saw it. */
export const grades: Record<EvidenceGrade, string> = {
  said: "reported by the agent",
  worker: "checked by the worker",
  other_worker: "checked by another worker",
  ci: "checked by CI",
  person: "confirmed by a person",
};

/** What a product asks for, in the words of its settings. */
export const requirements = {
  none: null,
  worker: "A story is done once a worker has checked every criterion.",
  other_worker: "A story is done once another worker has checked every criterion.",
  person: "A story is done once a person approves it.",
} as const;
