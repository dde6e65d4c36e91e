import { columns, shutColumnsCookie } from "~/features/board/columns";
import { readCookie } from "./session.server";

/** Returns the board columns this user collapsed, joined by dots. The cookie is scoped to the pages of one product. */
export function shutColumns(request: Request, userId: string): string {
  const said = readCookie(request.headers.get("cookie"), shutColumnsCookie(userId))?.split(".");
  return columns
    .map(({ status }) => status)
    .filter((status) => said?.includes(status))
    .join(".");
}
