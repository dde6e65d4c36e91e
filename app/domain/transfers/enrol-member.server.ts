import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

/** Makes a user a member of a product on behalf of the operator. */
export function enrolMember(database: Database, productId: string, userId: string) {
  return callService(
    database,
    "enrol_member",
    { p_product_id: productId, p_user_id: userId },
    z.object({ product_id: z.uuid(), user_id: z.uuid() }),
  );
}
