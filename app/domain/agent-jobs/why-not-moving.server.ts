import {
  type WhyNotMoving,
  type WhyNotMovingInput,
  whyNotMovingSchema,
} from "~/contract/why-not-moving";
import { type Actor, callAs } from "~/db/rpc.server";

/** Why a job, task or run does not move, in codes and words (specification: Agent job; Sprint run). */
export function whyNotMoving(actor: Actor, input: WhyNotMovingInput): Promise<WhyNotMoving> {
  return callAs(
    actor,
    "why_not_moving",
    { p_kind: input.kind, p_id: input.id },
    whyNotMovingSchema,
  );
}
