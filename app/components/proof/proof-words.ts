import type { EvidenceGrade, ProvenCriterion } from "~/contract/proof";
import type { StatusTone } from "../status";

type State = ProvenCriterion["state"];

/** How a criterion stands: a shape and a word, never a colour alone. */
export const criterionStates: Record<State, { label: string; tone: StatusTone }> = {
  proven: { label: "Proven", tone: "done" },
  unproven: { label: "Not proven", tone: "todo" },
  stale: { label: "Out of date", tone: "review" },
  failed: { label: "Fails", tone: "failed" },
  waived: { label: "Waived", tone: "idle" },
};

/** Who saw it. */
export const grades: Record<EvidenceGrade, string> = {
  said: "said by the agent",
  worker: "seen by the worker",
  other_worker: "seen by another worker",
  ci: "seen by CI",
  person: "seen by a person",
};

/** What a product asks for, in the words of its settings. */
export const requirements = {
  none: null,
  worker: "A story is done once a worker saw each of these hold.",
  other_worker: "A story is done once another worker looked at each of these.",
  person: "A story is done once a person approved it.",
} as const;
