import { type ExpiredQuestions, expiredQuestionsSchema } from "~/contract/schedule";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Open questions past their expiry become expired, pending pairings cancelled (specification: Scheduled endpoints). */
export function expireQuestions(database: Database): Promise<ExpiredQuestions> {
  return callService(database, "expire_questions", {}, expiredQuestionsSchema);
}
