import { columns, shutColumnsCookie } from "~/features/board/columns";
import { readCookie } from "./session.server";

/** The columns that this person has shut on the boards of a product; its pages alone are sent the cookie. */
export function shutColumns(request: Request, userId: string): string {
  const said = readCookie(request.headers.get("cookie"), shutColumnsCookie(userId))?.split(".");
  return columns
    .map(({ status }) => status)
    .filter((status) => said?.includes(status))
    .join(".");
}
