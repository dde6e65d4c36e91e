import { randomUUID } from "node:crypto";
import { addressLimitKey } from "~/http/client-address.server";
import type { OpenCall } from "~/http/endpoint.server";
import { parseJsonBody, readOpenBody } from "~/http/request-body.server";
import { json } from "~/http/responses.server";
import { registerOauthClient } from "~/nouns/oauth/operations.server";
import { clientMetadataSchema } from "~/wire/oauth/contract";
import { isAllowedRedirect, shownName } from "./client.server";
import { OAuthRefusal } from "./refusal.server";

/** `POST /register`: registers a program without a metadata document. It gets no secret: it could not keep one. */
export async function answerRegistration({
  request,
  context,
}: Pick<OpenCall<unknown, unknown>, "request" | "context">): Promise<Response> {
  const body = parseJsonBody(await readOpenBody(context), request.headers, true);
  const metadata = clientMetadataSchema.safeParse(body);
  if (!metadata.success) {
    throw new OAuthRefusal(
      "invalid_client_metadata",
      "Send client_name and redirect_uris, a list of 1 to 20 addresses.",
    );
  }
  const { redirect_uris } = metadata.data;
  const refused = redirect_uris.find((address) => !isAllowedRedirect(address));
  if (refused !== undefined) {
    throw new OAuthRefusal(
      "invalid_redirect_uri",
      `${refused.slice(0, 200)} cannot be returned to: use https, http on localhost, or a scheme of your own such as com.example.app:.`,
    );
  }
  const client_name = shownName(metadata.data.client_name, "Unnamed app");
  const { client_id, issued_at } = await registerOauthClient(context.services.database, {
    client_id: randomUUID(),
    name: client_name,
    redirect_uris,
    address_key: addressLimitKey(context.clientAddress),
  });
  const answer = {
    client_id,
    client_id_issued_at: issued_at,
    client_name,
    redirect_uris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  return json(answer, { status: 201 });
}
