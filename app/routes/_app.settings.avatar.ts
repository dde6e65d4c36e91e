import type { LoaderFunctionArgs } from "@remix-run/node";
import { requireActor } from "~/http/page-guards.server";
import { problem } from "~/http/responses.server";
import { getAvatar } from "~/nouns/accounts/avatar.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

/** The user's picture, or with `?user=` that of someone they work with. Always served as an image only. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const { actor, principal } = await requireActor(request, context);
  const userId = new URL(request.url).searchParams.get("user") ?? principal.user_id;
  try {
    const { mime, bytes } = await getAvatar(actor, canonicalId(userId));
    return new Response(bytes, {
      headers: {
        "content-type": mime,
        "content-disposition": "inline",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-cache",
      },
    });
  } catch (error) {
    if (error instanceof ContractError) return problem(error);
    throw error;
  }
}
