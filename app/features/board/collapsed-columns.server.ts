import { readCookie } from "~/http/session.server";
import { collapsedColumnsCookie, columns } from "./board-settings";

/** Returns the board columns this user collapsed, joined by dots. The cookie is scoped to the pages of one product. */
export function collapsedColumns(request: Request, userId: string): string {
  const stored = readCookie(request.headers.get("cookie"), collapsedColumnsCookie(userId))?.split(".");
  return columns
    .map(({ status }) => status)
    .filter((status) => stored?.includes(status))
    .join(".");
}
